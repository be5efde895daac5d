import { Agent, createServer, request } from 'node:http';

/** The least that a proxy in Node.js can do, as the measure for ours. */
const [upstream] = process.argv.slice(2);
const agent = new Agent({ keepAlive: true });
const server = createServer((incoming, response) => {
  const { method, url, headers } = incoming;
  const sent = request(`${upstream}${url}`, { method, headers, agent }, (reply) => {
    response.writeHead(reply.statusCode, { 'content-type': reply.headers['content-type'] });
    reply.pipe(response);
  });
  incoming.pipe(sent);
});
server.listen(0, '127.0.0.1', () => console.log(`http://127.0.0.1:${server.address().port}`));
