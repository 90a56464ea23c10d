// trim-page: serves the trimming page on this machine. A client of trimd, as trimctl is; it parses no media.
import Glibc

exit(PageProgram.main())
