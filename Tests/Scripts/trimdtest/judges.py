"""trimcheck and seekcheck, the tools in TOOLS that judge outputs and never ask trimd."""
import importlib.machinery, importlib.util, os, runpy, sys

from . import paths
from .processes import run


def load_trimcheck():
    """trimcheck as a module: its own ways to read files, for what it cannot judge itself."""
    loader = importlib.machinery.SourceFileLoader("trimcheck", os.path.join(paths.TOOLS, "trimcheck"))
    module = importlib.util.module_from_spec(importlib.util.spec_from_loader("trimcheck", loader))
    sys.dont_write_bytecode = True
    loader.exec_module(module)
    return module


def trimcheck(*words):
    """Runs trimcheck."""
    return run(sys.executable, os.path.join(paths.TOOLS, "trimcheck"), *words)


def seekcheck(*words):
    """Runs seekcheck, in a process of its own."""
    return run(sys.executable, "-m", "trimdtest.judges", *words, env=os.environ | {"PYTHONPATH": paths.SCRIPTS})


def seekcheck_here(arguments):
    """seekcheck in this process. Before release 14 PyAV gives no flush_buffers(), since its seek() does that itself."""
    import av
    if not hasattr(av.codec.context.CodecContext, "flush_buffers"):
        class Wrapped:
            def __init__(self, real, **own):
                self.__dict__.update(own, real=real)

            def __getattr__(self, name):
                return getattr(self.real, name)

            def __enter__(self):
                return self

            def __exit__(self, *_):
                self.real.close()

        def bare(x):
            return x.real if isinstance(x, Wrapped) else x

        def opened(name, original=av.open):
            real = original(name)
            video = [Wrapped(v, codec_context=Wrapped(v.codec_context, flush_buffers=lambda: None)) for v in real.streams.video]
            return Wrapped(real, streams=Wrapped(real.streams, video=video),
                           seek=lambda place, stream, **how: real.seek(place, stream=bare(stream), **how),
                           decode=lambda *which, **more: real.decode(*map(bare, which), **more))
        av.open = opened
    sys.argv = ["seekcheck", *arguments]
    runpy.run_path(os.path.join(paths.TOOLS, "seekcheck"), run_name="__main__")


if __name__ == "__main__":
    seekcheck_here(sys.argv[1:])
