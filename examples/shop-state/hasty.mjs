import { orderIn, setStatus } from './orders.mjs';

/** Cancels every order that a customer names, and says that a return was requested without doing it. */
export default function answer({ messages }) {
  const { content } = messages.at(-1);
  const { id } = orderIn(content);
  if (/return/i.test(content)) return `Order ${id} can be sent back.`;
  setStatus(id, 'cancelled');
  return `Order ${id} is cancelled.`;
}
