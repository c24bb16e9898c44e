// A genuine node-ipc peer, driven by lines of JSON: `node ipc_peer.cjs client|server PATH`.
// Says in lines of JSON what it hears, each message with what Roo's published schema has against it.
const ipc = require("node-ipc").default;
const { ipcMessageSchema } = require("@roo-code/types");
const readline = require("readline");

const [role, path] = process.argv.slice(2);
const tell = (value) => process.stdout.write(JSON.stringify(value) + "\n");
const heard = (data) => {
  const checked = ipcMessageSchema.safeParse(data);
  const problems = checked.success ? [] : checked.error.issues.map((i) => `${i.path.join(".")}: ${i.message}`);
  tell({ on: "message", data, problems });
};
const commands = (act) => readline.createInterface({ input: process.stdin }).on("line", (line) => act(JSON.parse(line)));

ipc.config.silent = true;
if (role === "client") {
  ipc.connectTo("roo", path, () => {
    const peer = ipc.of.roo;
    peer.on("connect", () => tell({ on: "connect" }));
    peer.on("disconnect", () => tell({ on: "disconnect" }));
    peer.on("message", heard);
    commands((command) => (command.disconnect ? ipc.disconnect("roo") : peer.emit("message", command.emit)));
  });
} else {
  const sockets = new Set();
  ipc.serve(path, () => {
    ipc.server.on("connect", (socket) => {
      sockets.add(socket);
      tell({ on: "connect" });
      const data = { clientId: "0123456789ab", pid: process.pid, ppid: process.ppid };
      ipc.server.emit(socket, "message", { type: "Ack", origin: "server", data });
    });
    ipc.server.on("socket.disconnected", (socket) => tell({ on: "disconnect", gone: sockets.delete(socket) }));
    ipc.server.on("message", heard);
    commands((command) => sockets.forEach((socket) => ipc.server.emit(socket, "message", command.emit)));
    tell({ on: "serving" });
  });
  ipc.server.start();
}
process.stdin.on("end", () => process.exit(0));
