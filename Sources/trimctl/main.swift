// The program's entry: it hands the words of the command line to Program, and ends with what that says.
internal import Glibc

exit(Program.main())
