import { createServer } from 'node:http';

/**
 * Stands in for a provider with a prompt cache: every chat completion gets the reply of the command line, and `/figures` has
 * the tokens of all prompts since it was last read, and those that begin as the prompt before. Tokens are characters by four, schemas included.
 */
const [reply] = process.argv.slice(2);
const none = { requests: 0, tokens: 0, cachedTokens: 0 };
let figures = { ...none };
let before = '';

function promptOf({ messages = [], response_format: format }) {
  const texts = messages.map(({ content }) => (typeof content === 'string' ? content : JSON.stringify(content)));
  const schema = format?.json_schema?.schema;
  return [schema ? JSON.stringify(schema) : '', ...texts].join('\n');
}

function commonStart(a, b) {
  let length = 0;
  while (length < a.length && a[length] === b[length]) length++;
  return length;
}

function count(body) {
  const prompt = promptOf(JSON.parse(body));
  const tokens = Math.ceil(prompt.length / 4);
  const cachedTokens = Math.floor(commonStart(prompt, before) / 4);
  before = prompt;
  figures.requests += 1;
  figures.tokens += tokens;
  figures.cachedTokens += cachedTokens;
  return { prompt_tokens: tokens, completion_tokens: 10, prompt_tokens_details: { cached_tokens: cachedTokens } };
}

function takeFigures() {
  const taken = figures;
  figures = { ...none };
  before = '';
  return taken;
}

const server = createServer((request, response) => {
  let body = '';
  request.setEncoding('utf8').on('data', (piece) => {
    body += piece;
  });
  request.on('end', () => {
    const message = { role: 'assistant', content: reply };
    const answer = request.url.endsWith('/figures')
      ? takeFigures()
      : { id: 'c', model: 'm', choices: [{ index: 0, message, finish_reason: 'stop' }], usage: count(body) };
    response.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify(answer));
  });
});
server.listen(0, '127.0.0.1', () => console.log(`http://127.0.0.1:${server.address().port}`));
