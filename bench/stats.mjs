import { fileURLToPath } from 'node:url';
import { createJiti } from 'jiti';

const source = fileURLToPath(new URL('../src/stats/fakes/simulated-suites.ts', import.meta.url));
const { simulateComparisons } = await createJiti(import.meta.url).import(source);

const replications = 2_000;
const usual = { cases: 20, repeats: 5, harder: 0, scatter: 0 };
const suites = [
  { name: '20 cases x 5, nothing changed', suite: usual },
  { name: '20 cases x 5, cases gain and lose 35 points', suite: { ...usual, scatter: 0.35 } },
  { name: '20 cases x 5, a drop of 13.4 points', suite: { ...usual, harder: 1.05 }, isDrop: true },
  { name: '10 cases x 5, nothing changed', suite: { ...usual, cases: 10 } },
  { name: '40 cases x 3, nothing changed', suite: { ...usual, cases: 40, repeats: 3 } },
  { name: '20 cases x 1, nothing changed', suite: { ...usual, repeats: 1 } },
  { name: '100 cases x 1, nothing changed', suite: { ...usual, cases: 100, repeats: 1 } },
];

console.log(`Simulated comparisons, ${replications.toLocaleString('en-US')} replications each\n`);
let isMet = true;
for (const [index, { name, suite, isDrop = false }] of suites.entries()) {
  const { covered, better, worse, naiveAlarms, trueDifference } = simulateComparisons(suite, replications, index + 1);
  const isRight = isDrop ? worse > 0.6 && better < 0.01 : better + worse <= 0.06;
  const isCovered = covered >= 0.93 && covered <= 0.97;
  isMet &&= isRight && isCovered;
  const verdict = isDrop
    ? `found ${percent(worse)} (target above 60 %), true difference ${(100 * trueDifference).toFixed(1)} points`
    : `false alarms ${percent(better + worse)} (at most 6 %); the sign alone says "worse" in ${percent(naiveAlarms)}`;
  console.log(
    `${isRight && isCovered ? '✓' : '✗'} ${name}\n    ${verdict}\n    interval covers ${percent(covered)} (93 to 97 %)`,
  );
}
process.exitCode = isMet ? 0 : 1;

function percent(share) {
  return `${(100 * share).toFixed(1)} %`;
}
