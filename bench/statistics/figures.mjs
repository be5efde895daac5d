import { compareOne, covers, Draw, isDecided, pair } from './draw.mjs';

/** Costs of a case: usual ones scatter by a third, and a share of them is many times as large. */
function costs(draw, repeats, level, { rare = 0, factor = 1 } = {}) {
  return Array.from(
    { length: repeats },
    () => level * Math.exp(0.3 * draw.normal()) * (draw.isTrue(rare) ? factor : 1),
  );
}

function costSuite(cases, repeats, { scale = 1, rare, factor } = {}) {
  return (draw) =>
    Array.from({ length: cases }, (_, index) => {
      const level = 0.02 * Math.exp(0.8 * draw.normal());
      const b = costs(draw, repeats, level * scale, { rare, factor });
      return pair('cost-usd', { caseId: `c${index}` }, costs(draw, repeats, level), b);
    });
}

function calls(cases) {
  return (draw) =>
    Array.from({ length: cases }, (_, index) =>
      pair('tool-call-count', { caseId: `c${index}` }, [3], [draw.isTrue(0.03) ? 15 : 3]),
    );
}

/** The same sums added up in another order. */
function dusty(draw) {
  return Array.from({ length: 30 }, (_, index) => {
    const parts = Array.from({ length: 10 }, () => draw.random() / 50);
    const forth = parts.reduce((sum, part) => sum + part, 0);
    const back = parts.reduceRight((sum, part) => sum + part, 0);
    return pair('cost-usd', { caseId: `c${index}` }, [forth], [back]);
  });
}

function missingUsage(draw) {
  return Array.from({ length: 30 }, (_, index) => {
    const level = 900 * Math.exp(0.5 * draw.normal());
    const b = costs(draw, 3, level).filter(() => !draw.isTrue(0.3));
    return pair('tokens', { caseId: `c${index}` }, costs(draw, 3, level), b, { b: 3 - b.length });
  });
}

const rareOnes = 'rare values: conservative';

/** Designs with the true change of the mean, and of the logarithm of a typical trial. */
const figureDesigns = [
  { title: 'cost, nothing changed, 20 x 5', name: 'cost-usd', world: costSuite(20, 5), mean: 0, log: 0 },
  {
    title: 'cost, equal means, 2 % of trials x20, 20 x 1',
    name: 'cost-usd',
    world: costSuite(20, 1, { scale: 1 / 1.38, rare: 0.02, factor: 20 }),
    mean: 0,
    log: Math.log(1 / 1.38) + 0.02 * Math.log(20),
  },
  {
    title: 'cost +15 % through 1 % of trials x16, 20 x 5',
    name: 'cost-usd',
    world: costSuite(20, 5, { rare: 0.01, factor: 16 }),
    mean: 0.15,
    log: 0.01 * Math.log(16),
  },
  ...[10, 20, 50].map((cases) => ({
    title: `calls 3 -> 15 in 3 % of cases, ${cases} cases`,
    name: 'tool-call-count',
    world: calls(cases),
    mean: 0.12,
    log: 0.03 * Math.log(5),
    wide: rareOnes,
  })),
  {
    title: 'cost +20 %, 50 x 5 (typical trials)',
    name: 'cost-usd',
    world: costSuite(50, 5, { scale: 1.2 }),
    mean: 0.2,
    log: Math.log(1.2),
    leastPower: 0.75,
  },
  { title: 'rounding dust, 30 x 1', name: 'cost-usd', world: dusty, mean: 0, log: 0, wide: 'all alike' },
  {
    title: 'tokens missing in 30 % of one side, 30 x 3',
    name: 'tokens',
    world: missingUsage,
    mean: 0,
    log: 0,
    wide: 'worst-case bounds',
  },
];

function measureFigures(design, replications, seed) {
  const draw = new Draw(seed);
  const counts = { false: 0, right: 0, covered: 0, noDifference: 0 };
  for (let round = 0; round < replications; round++) {
    const { answer, typical } = compareOne(design.name, design.world(draw));
    const rose = (each) => each === 'worse' || each === 'higher';
    // A claim about the mean must be true of the mean, one about typical trials of typical trials.
    const isMeanWrong = isDecided(answer) && (design.mean === 0 || rose(answer) !== design.mean > 0);
    const claimed = typical.answer;
    const isTypicalWrong = isDecided(claimed) && (design.log === 0 || rose(claimed) !== design.log > 0);
    if (isMeanWrong || isTypicalWrong) counts.false++;
    else if (isDecided(claimed)) counts.right++;
    if (answer === 'no-difference' && Math.abs(design.mean) >= 0.1) counts.noDifference++;
    const { interval } = typical;
    if (interval && covers({ low: Math.log(interval.low), high: Math.log(interval.high) }, design.log))
      counts.covered++;
  }
  return {
    title: design.title,
    false: counts.false / replications,
    coverage: counts.covered / replications,
    noDifference: Math.abs(design.mean) >= 0.1 ? counts.noDifference / replications : undefined,
    power: design.log === 0 ? undefined : counts.right / replications,
    wide: design.wide,
    leastPower: design.leastPower,
  };
}

export const sections = [{ title: 'Cost, calls and tokens', designs: figureDesigns, measure: measureFigures }];
