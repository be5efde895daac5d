import { AIMessage, ToolMessage } from '@langchain/core/messages';
import { MessagesAnnotation, StateGraph } from '@langchain/langgraph';

/** The booking agent of the examples as a graph: it looks for a time, books it and says so; later it remembers. */
const steps = [
  { call: { name: 'find_slots', args: { day: 'Monday' } }, tokens: [161, 14] },
  { call: { name: 'book_slot', args: { day: 'Monday', time: '14:30' } }, tokens: [236, 18] },
  { text: 'You are booked for Monday at 14:30. Your reference is BK-48213.', tokens: [402, 25] },
];
const results = { find_slots: '["14:30"]', book_slot: '{"reference":"BK-48213"}' };

function think({ messages }) {
  const said = messages.filter((message) => message.getType() === 'human').map(({ content }) => String(content));
  if (said.length > 1)
    return { messages: [answer({ text: `You asked first: ${said[0]}`, tokens: [90, 10] }, 'again')] };
  const done = messages.filter((message) => message.getType() === 'tool').length;
  return { messages: [answer(steps[done], `call-${done + 1}`)] };
}

function answer({ text = '', call, tokens: [input, output] }, id) {
  const usage = { input_tokens: input, output_tokens: output, total_tokens: input + output };
  const calls = call ? [{ ...call, id, type: 'tool_call' }] : [];
  return new AIMessage({ content: text, tool_calls: calls, usage_metadata: usage });
}

function useTools({ messages }) {
  const calls = messages.at(-1).tool_calls ?? [];
  return {
    messages: calls.map(({ id, name }) => new ToolMessage({ content: results[name], tool_call_id: id, name })),
  };
}

export const graph = new StateGraph(MessagesAnnotation)
  .addNode('think', think)
  .addNode('useTools', useTools)
  .addEdge('__start__', 'think')
  .addConditionalEdges('think', ({ messages }) =>
    (messages.at(-1).tool_calls ?? []).length > 0 ? 'useTools' : '__end__',
  )
  .addEdge('useTools', 'think')
  .compile();
