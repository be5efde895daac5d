import { readFileSync } from 'node:fs';

/**
 * Stands in for an assistant of which a second version was made. `version.txt` says which one answers; it is right as often
 * as its line says, so this example ends alike each time.
 */
const versions = {
  1: { usd: 0.004, right: { lost: '+++++', refund: '-----' } },
  2: { usd: 0.006, right: { lost: '+-+-+', refund: '-----', return: '-----' } },
};
const counts = new Map();

export function answer({ messages }) {
  const topic = messages.at(-1).content.split(' ')[0];
  const version = readFileSync(new URL('./version.txt', import.meta.url), 'utf8').trim();
  const { usd, right } = versions[version];
  const count = counts.get(version + topic) ?? 0;
  counts.set(version + topic, count + 1);
  const isRight = (right[topic] ?? '+++++')[count % 5] === '+';
  return { content: isRight ? `${topic}: done` : 'I cannot help with that.', costUsd: usd * (1 + (count % 3) / 20) };
}
