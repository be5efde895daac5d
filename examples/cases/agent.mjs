/** An assistant of a shop: looks up an order and says where it is. The first version forgets that orders can be returned. */
const orders = { 17: 'shipped', 18: 'returned' };

const answer =
  (texts) =>
  ({ messages }) => {
    const question = messages.findLast(({ role }) => role === 'user').content;
    const id = Number(question.match(/\d+/)?.[0]);
    const state = orders[id] ?? 'unknown';
    const call = {
      id: `call-${id}`,
      type: 'function',
      function: { name: 'find_order', arguments: JSON.stringify({ id }) },
    };
    return {
      messages: [
        { role: 'assistant', content: null, tool_calls: [call] },
        { role: 'tool', tool_call_id: call.id, content: JSON.stringify({ id, state }) },
        { role: 'assistant', content: texts[state] ?? 'I cannot find this order.' },
      ],
    };
  };

export const before = answer({ shipped: 'Your order is on its way.', returned: 'Your order is on its way.' });
export const after = answer({ shipped: 'Your order is on its way.', returned: 'Your order was returned to us.' });
