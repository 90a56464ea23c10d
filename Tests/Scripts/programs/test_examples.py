"""The examples for engines that run a command many times, and for nginx: each is of its format, and trimctl's table accepts its command lines.

A command line is run over a list that is not there, so that trimctl reads all options and ends: what it says is about the list, not about
the options.
"""
import os, re

import pytest

from trimdtest import processes
from trimdtest.paths import ROOT

EXAMPLES = os.path.join(ROOT, "Sources/trimctl/trimctl.docc/Examples")
# The variables that the engine of an example gives its jobs.
SAID = {
    "slurm.sbatch": {"SLURM_ARRAY_TASK_ID": "3", "SLURM_ARRAY_TASK_COUNT": "8", "SLURM_ARRAY_TASK_MIN": "1", "SLURM_ARRAY_TASK_MAX": "8"},
    "kubernetes-job.yaml": {"JOB_COMPLETION_INDEX": "7"},
    "gitlab-ci.yml": {"CI_NODE_INDEX": "4", "CI_NODE_TOTAL": "4"},
    "github-workflow.yml": {},
}


def read(name):
    with open(os.path.join(EXAMPLES, name)) as file:
        return file.read()


def lines_of(name):
    """The command lines of an example that begin with trimctl, whatever is around them."""
    text = re.sub(r"\\\n\s*", " ", re.sub(r"^#.*\n", "", read(name), flags=re.M))
    if name == "kubernetes-job.yaml":
        return [document(name)["spec"]["template"]["spec"]["containers"][0]["command"][2]]
    return [line[line.index("trimctl batch"):] for line in text.splitlines() if "trimctl batch" in line]


def document(name):
    """An example in YAML as a tree."""
    yaml = pytest.importorskip("yaml")
    return yaml.safe_load(read(name))


def test_every_example_is_tested():
    assert sorted(os.listdir(EXAMPLES)) == sorted([*SAID, "trim-page-nginx.conf"])


def test_the_page_behind_nginx_is_started_so(programs, tmp_path):
    """All options are read before trimd is looked for."""
    line = re.search(r"'(trimctl page .*)'", read("trim-page-nginx.conf"))[1]
    done = processes.run("sh", "-c", line, text=True, env={"PATH": programs + ":" + os.environ["PATH"], "TRIMD_SOCKET": str(tmp_path / "none")})
    assert done.returncode == 5, done.stderr
    place = re.search(r"--listen (\S+)", line)[1]
    assert f"proxy_pass http://unix:{place};" in read("trim-page-nginx.conf") and "server_name films.example;" in read("trim-page-nginx.conf")


def test_make_installs_them(tmp_path):
    shown = processes.need("make", "-n", "-C", ROOT, "install", "BUILT=", f"DESTDIR={tmp_path}", text=True).stdout
    assert "trimctl.docc/Examples" in shown and "/examples" in shown


@pytest.mark.parametrize("name", sorted(SAID))
def test_its_command_lines_are_accepted(name, programs, tmp_path):
    lines = lines_of(name)
    assert lines
    for line in lines:
        for shard in (1, 4) if name == "github-workflow.yml" else (1,):
            one = line.replace("${{ matrix.shard }}", str(shard)).replace("/media/", "").replace('"$list"', "cuts.csv")
            one = one.replace('"$outputs/', '"').replace('"$outputs"', "out")
            assert "${{" not in one
            done = processes.run("sh", "-c", one, text=True, cwd=tmp_path, env={
                "PATH": programs + ":" + os.environ["PATH"], "HOME": str(tmp_path), **SAID[name]})
            # There is no list, and no report; with --shard auto/8 and the like all the options have been read before.
            assert "does not exist" in done.stderr and done.returncode == 1, (one, done.stderr)


def test_the_script_of_slurm_is_one():
    text = read("slurm.sbatch")
    processes.need("bash", "-n", os.path.join(EXAMPLES, "slurm.sbatch"))
    assert text.startswith("#!/bin/bash\n") and re.search(r"^#SBATCH --array=", text, re.M)


def test_the_job_of_kubernetes_is_indexed():
    job = document("kubernetes-job.yaml")
    assert (job["apiVersion"], job["kind"], job["spec"]["completionMode"]) == ("batch/v1", "Job", "Indexed")
    # As many shards as completions.
    assert f"--shard auto/{job['spec']['completions']} " in lines_of("kubernetes-job.yaml")[0]
    pod = job["spec"]["template"]["spec"]
    names = {volume["name"] for volume in pod["volumes"]}
    assert {mount["name"] for c in pod["containers"] for mount in c["volumeMounts"]} == names


def test_the_pipeline_of_gitlab_has_parallel_jobs():
    jobs = document("gitlab-ci.yml")
    assert jobs["cut"]["parallel"] == 4 and {jobs["cut"]["stage"], jobs["report"]["stage"]} == set(jobs["stages"])


def test_the_workflow_of_github_has_a_matrix():
    jobs = document("github-workflow.yml")["jobs"]
    shards = jobs["cut"]["strategy"]["matrix"]["shard"]
    assert shards == list(range(1, len(shards) + 1)) and f"}}}}/{len(shards)} " in read("github-workflow.yml")
