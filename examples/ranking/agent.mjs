/** Three assistants that are all right, and help to a different degree: assertions cannot distinguish them. */
function assistant(answer) {
  return ({ messages }) => answer(messages.at(-1).content.match(/\d+/)?.[0]);
}

export const vague = assistant((order) => `Order ${order}: we are looking into it.`);
export const plain = assistant((order) => `Order ${order} is on its way.`);
/** It does not know all days. */
export const exact = assistant((order) =>
  order % 4 === 0 ? `Order ${order} is on its way.` : `Order ${order} is on its way and arrives on Friday.`,
);
