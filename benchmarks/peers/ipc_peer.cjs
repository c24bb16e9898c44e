// node-ipc at one end: `node ipc_peer.cjs server|client PATH PINGS EVENTS [checked]`.
// `checked`: every message is checked by Roo's schemas on arrival, as Roo's own server and client do.
const ipc = require("node-ipc").default;
const { ipcMessageSchema } = require("@roo-code/types");

const [role, path, pings, events, checked] = process.argv.slice(2);
const arrived = checked ? (data) => ipcMessageSchema.safeParse(data).data : (data) => data;
const event = (eventName, payload) => ({ type: "TaskEvent", origin: "server", data: { eventName, payload } });
const message = { ts: 1760000000000, type: "say", say: "text", text: "word ".repeat(60), partial: true };
const update = event("message", [{ taskId: "0196f5a1-0000-7000-8000-000000000001", action: "updated", message }]);

ipc.config.silent = true;
if (role === "server") {
  ipc.serve(path, () => {
    ipc.server.on("connect", (socket) => {
      const data = { clientId: "0123456789ab", pid: process.pid, ppid: process.ppid };
      ipc.server.emit(socket, "message", { type: "Ack", origin: "server", data });
    });
    ipc.server.on("message", (sent, socket) => {
      const { commandName, data } = arrived(sent).data;
      if (commandName === "GetModes") ipc.server.emit(socket, "message", event("modesResponse", [[]]));
      else for (let left = Number(data); left > 0; left--) ipc.server.emit(socket, "message", update);
    });
    process.stdout.write("serving\n");
  });
  ipc.server.start();
} else {
  ipc.connectTo("roo", path, () => {
    const peer = ipc.of.roo;
    const command = (commandName, data) =>
      peer.emit("message", { type: "TaskCommand", origin: "client", clientId: "x", data: { commandName, data } });
    const micros = [];
    let [asked, began, count] = [0n, 0n, 0];
    const ping = () => ((asked = process.hrtime.bigint()), command("GetModes"));
    peer.on("message", (sent) => {
      const heard = arrived(sent);
      if (heard.type === "Ack") ping();
      else if (heard.data.eventName === "modesResponse") {
        micros.push(Number(process.hrtime.bigint() - asked) / 1000);
        if (micros.length < Number(pings)) ping();
        else (began = process.hrtime.bigint()), command("ResumeTask", events);
      } else if (++count === Number(events)) {
        const seconds = Number(process.hrtime.bigint() - began) / 1e9;
        process.stdout.write(JSON.stringify({ micros, seconds }) + "\n", () => process.exit(0));
      }
    });
  });
}
