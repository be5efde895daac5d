import { connect } from 'node:net';

/** Sends bytes to a local port as they are, and gives the status line of the answer. */
export function rawStatus(port: number, lines: readonly string[]): Promise<string> {
  return new Promise((resolve, reject) => {
    const socket = connect(port, '127.0.0.1', () => socket.write(`${lines.join('\r\n')}\r\n\r\n`));
    let text = '';
    socket.on('data', (chunk) => {
      text += String(chunk);
      if (!text.includes('\r\n')) return;
      resolve(text.slice(0, text.indexOf('\r\n')));
      socket.destroy();
    });
    socket.on('error', reject);
    socket.on('close', () => resolve(text));
  });
}
