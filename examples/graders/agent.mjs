/** A booking agent that needs no model: it looks for a table, books it, and says so. */
export default async function answer({ messages }) {
  const wish = messages.at(-1).content;
  if (!/friday/i.test(wish)) return 'Which day would you like?';
  const call = (id, name, args) => ({ id, type: 'function', function: { name, arguments: JSON.stringify(args) } });
  return {
    messages: [
      { role: 'assistant', content: null, tool_calls: [call('1', 'find_table', { day: 'friday' })] },
      { role: 'tool', tool_call_id: '1', content: '{"table":7}' },
      { role: 'assistant', content: null, tool_calls: [call('2', 'book_table', { day: 'friday', table: 7 })] },
      { role: 'tool', tool_call_id: '2', content: '{"ref":"BK-1042"}' },
      { role: 'assistant', content: 'Table 7 is booked for Friday. Your reference is BK-1042.' },
    ],
  };
}
