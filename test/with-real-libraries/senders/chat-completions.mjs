import { description, model, parameters, system, weather } from './weather.mjs';

const tools = [{ type: 'function', function: { name: 'weather', description, parameters } }];

/** The loop of an agent that is written against the client of OpenAI alone. */
export async function askOpenAi(client, question) {
  const messages = [
    { role: 'system', content: system },
    { role: 'user', content: question },
  ];
  for (;;) {
    const { choices } = await client.chat.completions.create({ model, messages, tools });
    const { message } = choices[0];
    messages.push(message);
    if (!message.tool_calls?.length) return message.content;
    for (const { id, function: called } of message.tool_calls) {
      messages.push({ role: 'tool', tool_call_id: id, content: answerOf(called) });
    }
  }
}

function answerOf({ arguments: written }) {
  try {
    return weather(JSON.parse(written));
  } catch (error) {
    return `Error: ${error.message}`;
  }
}
