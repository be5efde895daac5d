import { createServer } from 'node:http';

/**
 * A small booking agent behind an HTTP endpoint: `POST /chat { messages }` answers with the messages of the turn, tool
 * calls included, and with the tokens that it took. It asks any model that speaks OpenAI's chat completions
 * (OPENAI_BASE_URL, OPENAI_API_KEY, BOOKING_MODEL), and prints its own address when it is ready.
 */
const tools = [
  describe('find_slots', 'Free appointments on a day', { day: { type: 'string' } }),
  describe('book_slot', 'Book an appointment', { day: { type: 'string' }, time: { type: 'string' } }),
];

const run = {
  find_slots: ({ day }) => ({ day, slots: ['09:00', '14:30'] }),
  book_slot: ({ day, time }) => ({ reference: 'BK-48213', day, time }),
};

const system = {
  role: 'system',
  content: 'You book appointments. Look for free slots before you book, and give the booking reference.',
};

const mostSteps = 6;

async function answer(conversation) {
  const turn = [];
  const usage = { input_tokens: 0, output_tokens: 0 };
  for (let step = 0; step < mostSteps; step++) {
    const reply = await askModel([system, ...conversation, ...turn]);
    usage.input_tokens += reply.usage?.prompt_tokens ?? 0;
    usage.output_tokens += reply.usage?.completion_tokens ?? 0;
    const { message } = reply.choices[0];
    turn.push(message);
    if (!message.tool_calls?.length) break;
    for (const call of message.tool_calls) turn.push(toolMessage(call));
  }
  return { messages: [...conversation, ...turn], usage };
}

async function askModel(messages) {
  const response = await fetch(`${process.env.OPENAI_BASE_URL ?? 'https://api.openai.com/v1'}/chat/completions`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', authorization: `Bearer ${process.env.OPENAI_API_KEY}` },
    body: JSON.stringify({ model: process.env.BOOKING_MODEL ?? 'gpt-4o-mini', messages, tools }),
  });
  if (!response.ok) throw new Error(`the model answered with status ${response.status}`);
  return response.json();
}

function toolMessage({ id, function: { name, arguments: text } }) {
  const input = JSON.parse(text);
  const result = Object.hasOwn(run, name) ? run[name](input) : { error: `there is no tool ${name}` };
  return { role: 'tool', tool_call_id: id, content: JSON.stringify(result) };
}

function describe(name, description, properties) {
  const parameters = { type: 'object', properties, required: Object.keys(properties) };
  return { type: 'function', function: { name, description, parameters } };
}

async function read(request) {
  let text = '';
  for await (const piece of request) text += piece;
  return JSON.parse(text);
}

const server = createServer(async (request, response) => {
  try {
    const { messages } = await read(request);
    response.setHeader('content-type', 'application/json');
    response.end(JSON.stringify(await answer(messages)));
  } catch (error) {
    response.statusCode = 500;
    response.end(JSON.stringify({ error: error.message }));
  }
});
server.listen(Number(process.env.PORT ?? 0), '127.0.0.1', () => {
  console.log(`http://127.0.0.1:${server.address().port}`);
});
