/**
 * Stands in for an agent that sometimes answers wrongly. Each question has its own chance of a right answer; `after` knows
 * the answers to more of them. The numbers are drawn from a fixed seed, so this example ends alike each time.
 */
const counts = new Map();

function draw(text) {
  let state = 2_166_136_261;
  for (const character of text) state = Math.imul(state ^ character.charCodeAt(0), 16_777_619);
  state ^= state >>> 16;
  state = Math.imul(state, 2_246_822_507);
  state ^= state >>> 13;
  return (state >>> 0) / 2 ** 32;
}

function assistant(version, gain) {
  return ({ messages }) => {
    const question = messages.at(-1).content;
    const count = (counts.get(version + question) ?? 0) + 1;
    counts.set(version + question, count);
    const chance = Math.min(1, 1.5 * draw(question) + gain);
    const isRight = draw(`${version} ${count} ${question}`) < chance;
    const order = question.match(/\d+/)?.[0];
    return isRight ? `Order ${order} is on its way.` : 'I cannot find that order.';
  };
}

export const before = assistant('before', 0);
export const after = assistant('after', 0.3);
