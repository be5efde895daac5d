import { AIMessage, ToolMessage } from '@langchain/core/messages';
import { MessagesAnnotation, StateGraph } from '@langchain/langgraph';

const usage = { input_tokens: 7, output_tokens: 5, total_tokens: 12 };

/** Looks the weather up with a tool in its first turn, and remembers in the second what was said in the first. */
function plan({ messages }) {
  const said = messages.filter((message) => message.getType() === 'human').map(({ content }) => String(content));
  if (said.length > 1)
    return { messages: [new AIMessage({ content: `You asked first: ${said[0]}`, usage_metadata: usage })] };
  const call = { name: 'weather', args: { city: 'Paris' }, id: 'call-1', type: 'tool_call' };
  return { messages: [new AIMessage({ content: '', tool_calls: [call], usage_metadata: usage })] };
}

function useTool({ messages }) {
  const [call] = messages.at(-1).tool_calls ?? [];
  if (!call) return { messages: [] };
  return {
    messages: [
      new ToolMessage({ content: '21 degrees', tool_call_id: call.id, name: call.name }),
      new AIMessage({ content: `In ${call.args.city} it is 21 degrees.`, usage_metadata: usage }),
    ],
  };
}

export const graph = new StateGraph(MessagesAnnotation)
  .addNode('plan', plan)
  .addNode('useTool', useTool)
  .addEdge('__start__', 'plan')
  .addEdge('plan', 'useTool')
  .addEdge('useTool', '__end__')
  .compile();
