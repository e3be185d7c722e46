import { loadPyodide } from 'pyodide';

/** Runs the Python programs that its parent sends, one after the other. */

export interface Program {
  code: string;
  apiKey: string;
}

export interface Reply {
  output: string;
  error?: string;
}

/**
 * WebAssembly has no sockets. This one sends what was written once a response is read, and reads until the service
 * closes the connection: `urllib` asks for that with `Connection: close`.
 */
const sockets = `
import io, socket
from host import exchange

class Connection:
    def __init__(self, address):
        self.address, self.sent = address, b""
    def setsockopt(self, *_):
        pass
    def sendall(self, data):
        self.sent += data
    def makefile(self, _mode):
        return io.BytesIO(exchange(*self.address, self.sent.decode("latin-1")).encode("latin-1"))
    def close(self):
        pass

socket.create_connection = lambda address, *_: Connection(address)
`;

const client = `
const socket = require('node:net').connect(Number(process.argv[2]), process.argv[1]);
process.stdin.pipe(socket, { end: false });
socket.pipe(process.stdout);
`;

/** Python cannot wait for a promise, so another process does. */
function exchange(host: string, port: number, sent: string): string {
  const { stdout } = Bun.spawnSync([process.execPath, '-e', client, host, String(port)], {
    stdin: Buffer.from(sent, 'latin1'),
    stderr: 'inherit',
    timeout: 300_000,
  });
  return stdout.toString('latin1');
}

const python = await loadPyodide();
python.registerJsModule('host', { exchange });
python.runPython(sockets);

let output = '';
const decoder = new TextDecoder();
python.setStdout({
  write(bytes) {
    output += decoder.decode(bytes, { stream: true });
    return bytes.length;
  },
});

process.on('message', ({ code, apiKey }: Program) => {
  output = '';
  const globals = python.toPy({ key: apiKey });
  python.runPython('import os; os.environ["API_KEY"] = key', { globals });
  try {
    python.runPython(code, { globals: python.toPy({ __name__: '__main__' }) });
    process.send?.({ output } satisfies Reply);
  } catch (error) {
    process.send?.({ output, error: String(error) } satisfies Reply);
  }
});
