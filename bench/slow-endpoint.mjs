import { createServer } from 'node:http';

// An agent that thinks for a while and greets back.
const delayMs = Number(process.argv[2]);

const server = createServer((request, response) => {
  let text = '';
  request.setEncoding('utf8').on('data', (piece) => {
    text += piece;
  });
  request.on('end', () => {
    const said = JSON.parse(text).messages.at(-1).content;
    setTimeout(() => {
      response.setHeader('content-type', 'application/json');
      response.end(JSON.stringify({ message: { role: 'assistant', content: `${said} to you` } }));
    }, delayMs);
  });
});
server.keepAliveTimeout = 60_000;
server.listen(0, '127.0.0.1', () => console.log(`http://127.0.0.1:${server.address().port}`));
