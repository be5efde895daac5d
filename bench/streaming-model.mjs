import { createServer } from 'node:http';

/** A model server that streams events of chat completions: how many and how fast stands in the query. */
const chunk = (delta, more = {}) =>
  `data: ${JSON.stringify({ id: 'c', model: 'm', choices: [{ index: 0, delta, finish_reason: null }], usage: null, ...more })}\n\n`;
const last = `${chunk({}, { choices: [{ index: 0, delta: {}, finish_reason: 'stop' }] })}data: ${JSON.stringify({ id: 'c', model: 'm', choices: [], usage: { prompt_tokens: 10, completion_tokens: 5 } })}\n\ndata: [DONE]\n\n`;
const word = chunk({ content: 'some words ' });

const server = createServer({ keepAliveTimeout: 600_000 }, (request, response) => {
  const query = new URL(request.url, 'http://any').searchParams;
  const [events, everyMs] = [Number(query.get('events') ?? 1), Number(query.get('everyMs') ?? 0)];
  request.resume().on('end', () => {
    response.writeHead(200, { 'content-type': 'text/event-stream' });
    response.write(word);
    if (everyMs === 0) return response.end(word.repeat(events - 1) + last);
    let sent = 1;
    const timer = setInterval(() => {
      if (++sent <= events) return response.write(word);
      clearInterval(timer);
      response.end(last);
    }, everyMs);
    response.on('close', () => clearInterval(timer));
  });
});
server.listen(0, '127.0.0.1', () => console.log(`http://127.0.0.1:${server.address().port}`));
