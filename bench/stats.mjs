/** The sections by their names; each is loaded when it is run: `npm run bench:stats -- experiments`. */
const files = {
  'pass-rates': () => import('./statistics/pass-rates.mjs'),
  figures: () => import('./statistics/figures.mjs'),
  rules: () => import('./statistics/rules.mjs'),
  experiments: () => import('./statistics/experiments.mjs'),
  'least-trials': () => import('./statistics/least-trials.mjs'),
  'broken-cases': () => import('./statistics/broken-cases.mjs'),
  rankings: () => import('./statistics/rankings.mjs'),
  'judge-errors': () => import('./statistics/judge-errors.mjs'),
  improvements: () => import('./statistics/improvements.mjs'),
  variants: () => import('./statistics/variants.mjs'),
  drift: () => import('./statistics/drift.mjs'),
  durations: () => import('./statistics/durations.mjs'),
};

const replications = Number(process.env.REPLICATIONS ?? 2_000);
const named = process.argv.slice(2);
const unknown = named.filter((name) => !Object.hasOwn(files, name));
if (unknown.length > 0) {
  console.error(`Unknown section: ${unknown.join(', ')}. Name some of: ${Object.keys(files).join(', ')}.`);
  process.exit(2);
}

const columns = ['', 'false', 'coverage', 'without looks', 'false "no difference"', 'found', 'trials'];
console.log(`Simulated comparisons, up to ${replications.toLocaleString('en-US')} replications each.`);
console.log(
  'Targets: false at most 6 % (experiments, improvements and broken cases 5 %), coverage 93 to 97 %, false "no difference" at most 5 %, plans 75 to 93 %.\n',
);
const missed = [];
let measured = 0;
const started = performance.now();
const chosen = named.length > 0 ? named : Object.keys(files);
for (const name of chosen) for (const section of (await files[name]()).sections) await runSection(section);
console.log(`${Math.round((performance.now() - started) / 1000)} s`);
console.log(`Limits: ${measured - missed.length} of ${measured} designs met, ${missed.length} missed.`);
for (const text of missed) console.log(`✗ missed: ${text}`);
process.exitCode = missed.length === 0 ? 0 : 1;

async function runSection({ title, designs, measure }) {
  const begun = performance.now();
  console.log(row([title, ...columns.slice(1)]));
  for (const [index, design] of designs.entries()) {
    const found = await remeasured(measure, design, await measure(design, replications, index + 1), index + 1);
    const problems = problemsOf(found);
    measured += 1;
    if (problems.length > 0) missed.push(`${found.title}: ${problems.join(', ')}`);
    const { coverage, fixedCoverage, noDifference, power = found.delivered, trials } = found;
    const cells = [found.false, coverage, fixedCoverage, noDifference, power, trials].map(percent);
    const notes = [...(found.wide && found.coverage > 0.97 ? [found.wide] : []), ...(found.note ? [found.note] : [])];
    const note = notes.length > 0 ? `  (${notes.join('; ')})` : '';
    console.log(`${row([`${problems.length > 0 ? '✗' : '✓'} ${found.title}`, ...cells])}${note}`);
  }
  console.log(`${Math.round((performance.now() - begun) / 1000)} s\n`);
}

/**
 * A rate of 4.5 % is above a limit of 5 % in one of seven measurements with 2,000 replications, and a coverage of 94.3 %
 * is below 93 % in one of two hundred. Where a design exceeds a limit of its own, or coverage is outside its range, ten
 * times as many new draws decide, and both figures are printed.
 */
async function remeasured(measure, design, first, seed) {
  const isFalse = first.mostFalse !== undefined && first.false > first.mostFalse;
  const isOutside = first.coverage !== undefined && (first.coverage < 0.93 || (first.coverage > 0.97 && !first.wide));
  if (!isFalse && !isOutside) return first;
  const again = await measure(design, 10 * replications, seed + 1_000);
  const note = `${(10 * replications).toLocaleString('en-US')} replications, as the first ${replications.toLocaleString('en-US')} gave ${percent(isFalse ? first.false : first.coverage)}`;
  return { ...again, note: [again.note, note].filter(Boolean).join('; ') };
}

/** A design may cover more than 97 % only where it says why. */
function problemsOf({
  false: alarms,
  coverage,
  fixedCoverage,
  noDifference,
  power,
  leastPower,
  delivered,
  wide,
  trials,
  mostTrials,
  mostFalse = 0.06,
}) {
  return [
    ...(alarms !== undefined && alarms > mostFalse
      ? [`false answers ${percent(alarms)}, at most ${percent(mostFalse)}`]
      : []),
    ...(coverage !== undefined && coverage < 0.93 ? [`coverage ${percent(coverage)}, at least 93 %`] : []),
    ...(coverage !== undefined && coverage > 0.97 && !wide ? [`coverage ${percent(coverage)}, at most 97 %`] : []),
    ...(fixedCoverage !== undefined && fixedCoverage < 0.93
      ? [`coverage without looks ${percent(fixedCoverage)}, at least 93 %`]
      : []),
    ...(noDifference !== undefined && noDifference > 0.05
      ? [`false "no difference" ${percent(noDifference)}, at most 5 %`]
      : []),
    ...(leastPower !== undefined && power < leastPower
      ? [`found ${percent(power)}, at least ${percent(leastPower)}`]
      : []),
    ...(mostTrials !== undefined && trials > mostTrials
      ? [`trials ${percent(trials)}, at most ${percent(mostTrials)}`]
      : []),
    ...(delivered !== undefined && (delivered < 0.75 || delivered > 0.93)
      ? [`power ${percent(delivered)}, promised 75 to 93 %`]
      : []),
  ];
}

function row([first, ...cells]) {
  return `${first.padEnd(54)}${cells.map((cell, index) => cell.padStart((columns[index + 1]?.length ?? 0) + 2)).join('')}`;
}

function percent(value) {
  return value === undefined ? '' : `${(100 * value).toFixed(1)} %`;
}
