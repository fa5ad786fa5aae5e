#!/usr/bin/env python3
"""A driver of Capstan in one file: its "VM" is a process that runs the user data as a script.

    driver.py --socket /tmp/python-driver.sock --state /tmp/python-driver [--boot "./machine ./image"]

It keeps one folder per VM below --state, so that it may end and start again: VMs go on in between. Nothing
here is needed beyond the standard library. The protocol is described in docs/drivers.md.
"""
import argparse
import base64
import contextlib
import hashlib
import http.server
import json
import os
import pathlib
import shlex
import shutil
import signal
import socketserver
import subprocess
import threading

KEY_TAG = "capstan.dev/instance-key"
VMS_PER_PAGE = 500


class Failure(Exception):  # what a verb answers instead of a VM: a code that Capstan knows, and words for people
    def __init__(self, code, message):
        super().__init__(message)
        self.answer = {"code": code, "message": message}


class Cloud:
    """All VMs, each a folder with vm.json and the user data. One verb at a time: a request in, an answer out."""
    def __init__(self, state, boot):
        self.state = pathlib.Path(state).absolute()
        self.boot_with = boot  # words that stand before the user data's name
        self.lock = threading.Lock()
        self.state.mkdir(mode=0o700, parents=True, exist_ok=True)

    def create(self, request):
        key = request.get("instanceKey")
        if not key or not request.get("name"):
            raise Failure("InvalidArgument", "instanceKey and name are missing")
        known = (vm for vm in self.all() if vm["tags"][KEY_TAG] == key)
        vm = next(known, None) or self.new(key, request)  # the promise: one VM for a key
        if vm["pid"] is None:
            self.boot(vm, base64.b64decode(request.get("userData", "")))
        return {"vm": self.shown(vm)}

    def status(self, request):
        vm = self.find(request)
        if vm["pid"] is None:  # the driver ended in the middle of a create, and the next one goes on there
            raise Failure("NotFound", "the VM was never started")
        return {"vm": self.shown(vm)}

    def delete(self, request):
        vm = self.find(request)
        if runs(vm["pid"]):
            os.killpg(vm["pid"], signal.SIGKILL)
        shutil.rmtree(self.folder(vm))
        return {}

    def list(self, request):
        wanted = request.get("tags", {}).items()
        after = request.get("continue", "")
        found = [vm for vm in self.all() if wanted <= vm["tags"].items() and vm["providerID"] > after]
        rest = sorted(found, key=lambda vm: vm["providerID"])
        answer = {"vms": [self.shown(vm) for vm in rest[:VMS_PER_PAGE]]}
        if len(rest) > VMS_PER_PAGE:
            answer["continue"] = rest[VMS_PER_PAGE - 1]["providerID"]
        return answer

    def tag(self, request):
        vm = self.find(request)
        tags = vm["tags"] | request.get("tags", {})
        vm["tags"] = {name: value for name, value in tags.items() if value}  # an empty value takes a tag off
        self.write(vm)
        return {}

    def volumeIds(self, request):
        return {"ids": []}  # this cloud has no volumes

    def identity(self, request):
        return {"driver": "process", "account": str(os.getuid()), "region": os.uname().nodename}

    def new(self, key, request):  # a VM that has a folder and no process yet
        number = hashlib.sha256(key.encode()).hexdigest()[:16]
        vm = {"providerID": "process:///" + number, "name": request["name"], "pid": None,
              "tags": request.get("tags", {}) | {KEY_TAG: key}, "failureDomain": request.get("failureDomain", "")}
        self.folder(vm).mkdir(mode=0o700, exist_ok=True)
        self.write(vm)
        return vm

    def boot(self, vm, user_data):
        """Runs the script in a process group of its own, which outlives the driver, once vm.json has its pid."""
        folder = self.folder(vm)
        script = folder / "user-data"
        script.write_bytes(user_data)
        script.chmod(0o700)
        command = ["sh", "-c", 'read go && "$@" </dev/null || exit; exec sleep infinity', "sh", *self.boot_with, script]
        with open(folder / "console", "wb") as console:
            process = subprocess.Popen(
                command, cwd=folder, stdin=subprocess.PIPE, stdout=console, stderr=console, start_new_session=True,
                env=os.environ | {"VM_NAME": vm["name"], "VM_PROVIDER_ID": vm["providerID"]})
        vm["pid"] = process.pid
        self.write(vm)
        with process.stdin as go:
            go.write(b"go\n")

    def shown(self, vm):  # as the protocol wants it
        return {"providerID": vm["providerID"], "name": vm["name"], "tags": vm["tags"],
                "failureDomain": vm["failureDomain"], "state": "Running" if runs(vm["pid"]) else "Stopped",
                "addresses": [{"type": "Hostname", "address": vm["name"]},
                              {"type": "InternalIP", "address": "127.0.0.1"}]}

    def find(self, request):
        by_id, by_key = request.get("providerID"), request.get("instanceKey")
        found = [vm for vm in self.all() if (vm["providerID"] == by_id if by_id else vm["tags"][KEY_TAG] == by_key)]
        if not found:
            raise Failure("NotFound", "there is no such VM")
        return found[0]

    def all(self):
        return [json.loads(path.read_text()) for path in self.state.glob("*/vm.json")]

    def write(self, vm):
        path = self.folder(vm) / "vm.json.new"
        path.write_text(json.dumps(vm))
        path.rename(path.with_suffix(""))  # never half a file

    def folder(self, vm):
        return self.state / vm["providerID"].rsplit("/", 1)[1]


def runs(pid):
    if pid is None:
        return False
    with contextlib.suppress(ChildProcessError):  # started by the driver before this one
        os.waitpid(pid, os.WNOHANG)  # a child that has ended is no zombie from now on
    return os.path.exists(f"/proc/{pid}")


class Handler(http.server.BaseHTTPRequestHandler):
    """POST /v1/<verb>: the verbs are the methods of Cloud that are named so."""
    protocol_version = "HTTP/1.1"  # keeps connections
    VERBS = ("create", "status", "delete", "list", "tag", "volumeIds", "identity")  # no initialize: nothing to set up

    def do_POST(self):
        try:
            self.answer(200, self.call())
        except Failure as failure:
            self.answer(500, failure.answer)
        except Exception as error:  # whatever else it is: what became of the call is not known
            self.answer(500, {"code": "Unknown", "message": repr(error)})

    def call(self):
        request = json.loads(self.rfile.read(int(self.headers.get("Content-Length", 0))))
        verb = self.path.removeprefix("/v1/")
        if verb not in self.VERBS:
            raise Failure("Unimplemented", "there is no verb " + verb)
        with self.server.cloud.lock:
            return getattr(self.server.cloud, verb)(request)

    def answer(self, status, body):
        text = json.dumps(body).encode()
        self.send_response(status)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(text)))
        self.end_headers()
        self.wfile.write(text)

    def log_message(self, *words):
        pass


class Server(socketserver.ThreadingMixIn, socketserver.UnixStreamServer):
    daemon_threads = True
    request_queue_size = 128


def main():
    arguments = argparse.ArgumentParser(description="A Capstan driver whose VMs are processes.")
    arguments.add_argument("--socket", required=True, help="where to listen")
    arguments.add_argument("--state", required=True, help="folder of the VMs")
    arguments.add_argument("--boot", default="", help="command that runs the user data; they run by themselves without")
    options = arguments.parse_args()
    pathlib.Path(options.socket).unlink(missing_ok=True)  # of a driver that is gone
    os.umask(0o077)  # the socket is for this user only
    with Server(options.socket, Handler) as server:
        server.cloud = Cloud(options.state, shlex.split(options.boot))
        signal.signal(signal.SIGTERM, lambda *_: threading.Thread(target=server.shutdown).start())
        print("ready", flush=True)
        server.serve_forever()
    os.unlink(options.socket)


if __name__ == "__main__":
    main()
