/**
 * Stands in for assistants of different price and quality. Each question has its own chance of a right answer. The numbers
 * are drawn from a fixed seed, so this example ends alike each time.
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

function assistant(name, gain, usd) {
  return ({ messages }) => {
    const question = messages.at(-1).content;
    const count = (counts.get(name + question) ?? 0) + 1;
    counts.set(name + question, count);
    const chance = Math.min(1, 1.2 * draw(question) + gain);
    const isRight = draw(`${name} ${count} ${question}`) < chance;
    const order = question.match(/\d+/)?.[0];
    const effort = 0.5 + draw(`effort ${question}`) + 0.3 * draw(`${name} effort ${count} ${question}`);
    return {
      content: isRight ? `Order ${order} is on its way.` : 'I cannot find that order.',
      tokenUsage: { input: Math.round(800 * effort), output: Math.round(200 * effort) },
      costUsd: usd * effort,
    };
  };
}

export const small = assistant('small', 0, 0.002);
export const medium = assistant('medium', 0.25, 0.004);
export const large = assistant('large', 0.6, 0.02);
export const wasteful = assistant('wasteful', 0.05, 0.03);
