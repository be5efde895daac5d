import { orderIn, setStatus } from './orders.mjs';

/** Follows the policy: only pending orders are cancelled, and only delivered ones are returned. */
export default function answer({ messages }) {
  const { content } = messages.at(-1);
  const order = orderIn(content);
  if (/return/i.test(content) && order.status === 'delivered') {
    setStatus(order.id, 'return requested');
    return `Order ${order.id} can be sent back.`;
  }
  if (/cancel/i.test(content) && order.status === 'pending') {
    setStatus(order.id, 'cancelled');
    return `Order ${order.id} is cancelled.`;
  }
  return `Order ${order.id} is ${order.status}, so I cannot do that.`;
}
