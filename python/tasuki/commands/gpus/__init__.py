"""``tasuki gpus``: GPUs of other hosts, for programs that know nothing of it. A file a subcommand."""

from __future__ import annotations

import typer

from tasuki.commands.gpus import check, key, model, move, run, serve, top

app = typer.Typer(
    help="Give a CUDA program the GPUs of other hosts.\n\nStart with:  tasuki gpus serve --device host",
    no_args_is_help=True,
    rich_markup_mode=None,
)

app.command(short_help="Make the key that all hosts have a copy of")(key.key)
app.command(
    context_settings={"allow_extra_args": True, "ignore_unknown_options": True},
    add_help_option=False,
    short_help="Serve this host's GPUs, or its cores in their place",
)(serve.serve)
app.command(
    context_settings={"allow_interspersed_args": False},
    short_help="Start a program with GPUs of other hosts: tasuki gpus run --hosts a,b -- ./many",
)(run.run)
app.command(short_help="Say whether a program will find remote GPUs, and what to do where not")(check.check)
app.command(short_help="Fit the model of replica exchange to these servers, forecast, compare")(model.model)
app.command(short_help="Show who uses which GPU, and how much")(top.top)
app.command(short_help="Move a device of a program that runs to another GPU: tasuki gpus move 0 c:1")(
    move.move
)
