import { compareOne, covers, Draw, isDecided, logistic, pair, truthOf, usualEase } from './draw.mjs';

const name = 'pass-rate';

function suite(cases, repeats, chances) {
  return (draw) =>
    Array.from({ length: cases }, (_, index) => {
      const [before, after] = chances(draw);
      return pair(name, { caseId: `c${index}` }, draw.tries(repeats, before), draw.tries(repeats, after));
    });
}

const unchanged = (draw) => {
  const chance = logistic(usualEase(draw));
  return [chance, chance];
};
const harder = (draw) => {
  const ease = usualEase(draw);
  return [logistic(ease), logistic(ease - 1.05)];
};
const scattered = (draw) => {
  const before = logistic(usualEase(draw));
  const room = Math.min(0.35, before, 1 - before);
  return [before, before + (draw.isTrue(0.5) ? room : -room)];
};

/** Cases in clusters that share what the change does to them; nothing changes on the whole. */
function clusters(count, size, { byScenario, byCluster = false, isSameCase = false, repeats = 1 }) {
  return (draw) =>
    Array.from({ length: count }, (_, cluster) => {
      const shift = draw.normal();
      const shared = usualEase(draw);
      return Array.from({ length: size }, (_unused, row) => {
        const ease = isSameCase ? shared + 0.5 * draw.normal() : usualEase(draw);
        const ofScenario = { scenario: `s${cluster}`, caseId: `c${row}` };
        const declared = { caseId: `c${cluster}-${row}`, cluster: `k${cluster}` };
        const ofPersona = { caseId: `c${cluster}`, variant: { persona: `p${row}` } };
        const place = byScenario ? ofScenario : byCluster ? declared : ofPersona;
        const [before, after] = [logistic(ease - shift / 2), logistic(ease + shift / 2)];
        return pair(name, place, draw.tries(repeats, before), draw.tries(repeats, after));
      });
    }).flat();
}

const fewUnits = 'few clusters: conservative, "not enough data" is right';
const fewDiffer = 'few cases differ: conservative';

/** Designs of pass rates with what is true of them. */
const passRateDesigns = [
  { title: '20 cases x 5, nothing changed', world: suite(20, 5, unchanged), truth: 0 },
  { title: '20 x 5, cases gain and lose 35 points', world: suite(20, 5, scattered), truth: 0 },
  { title: '20 x 5, a drop of 13.4 points', world: suite(20, 5, harder), chances: harder, power: 0.55 },
  { title: '10 x 5, nothing changed', world: suite(10, 5, unchanged), truth: 0, wide: fewDiffer },
  { title: '40 x 3, nothing changed', world: suite(40, 3, unchanged), truth: 0 },
  { title: '20 x 1, nothing changed', world: suite(20, 1, unchanged), truth: 0, wide: fewDiffer },
  { title: '100 x 1, nothing changed', world: suite(100, 1, unchanged), truth: 0 },
  { title: '10 scenarios x 10 rows, effects sd 1 logit', world: clusters(10, 10, { byScenario: true }), truth: 0 },
  { title: '5 scenarios x 20 rows', world: clusters(5, 20, { byScenario: true }), truth: 0, wide: fewUnits },
  {
    title: '10 declared clusters x 10 rows x 3',
    world: clusters(10, 10, { byCluster: true, repeats: 3 }),
    truth: 0,
  },
  {
    title: '5 declared clusters x 20 rows x 3',
    world: clusters(5, 20, { byCluster: true, repeats: 3 }),
    truth: 0,
    wide: fewUnits,
  },
  {
    title: '20 cases x 6 variants',
    world: clusters(20, 6, { byScenario: false, isSameCase: true }),
    truth: 0,
  },
  {
    title: '3 cases x 10 personas',
    world: clusters(3, 10, { byScenario: false, isSameCase: true }),
    truth: 0,
    wide: fewUnits,
  },
  {
    title: '100 % -> 95 %, 60 x 1',
    world: suite(60, 1, () => [1, 0.95]),
    truth: -0.05,
    wide: fewDiffer,
  },
  {
    title: '5 % of cases broke, 100 x 5',
    world: suite(100, 5, (draw) => [1, draw.isTrue(0.05) ? 0 : 1]),
    truth: -0.05,
  },
  { title: 'every case fails 5 %, 20 x 5', world: suite(20, 5, () => [1, 0.95]), truth: -0.05 },
  { title: '98 % -> 93 %, 60 x 1', world: suite(60, 1, () => [0.98, 0.93]), truth: -0.05, wide: fewDiffer },
  {
    title: 'failures lost as errors on one side, 150 x 1',
    world: lostFailures,
    truth: 0,
    wide: 'worst-case bounds',
  },
  { title: 'A loses failures, B any trials, 50 x 3', world: lostUnlike, truth: 0, wide: 'worst-case bounds' },
  { title: '10 % errors at random on both sides, 50 x 3', world: lostAtRandom, truth: 0, wide: 'bounds for chance' },
];

/** 70 % pass on both sides; three of four failures of B end as errors. */
function lostFailures(draw) {
  return Array.from({ length: 150 }, (_, index) => {
    const b = draw.tries(1, 0.7);
    const isLost = b[0] === 0 && draw.isTrue(0.75);
    return pair(name, { caseId: `c${index}` }, draw.tries(1, 0.7), isLost ? [] : b, { b: isLost ? 1 : 0 });
  });
}

/** About a tenth of the trials of each side, of A only those that failed. */
function lostUnlike(draw) {
  return Array.from({ length: 50 }, (_, index) => {
    const chance = logistic(usualEase(draw));
    const a = draw.tries(3, chance).filter((value) => value === 1 || !draw.isTrue(0.3));
    const b = draw.tries(3, chance).filter(() => !draw.isTrue(0.092));
    return pair(name, { caseId: `c${index}` }, a, b, { a: 3 - a.length, b: 3 - b.length });
  });
}

function lostAtRandom(draw) {
  return Array.from({ length: 50 }, (_, index) => {
    const chance = logistic(usualEase(draw));
    const kept = () => draw.tries(3, chance).filter(() => !draw.isTrue(0.1));
    const [a, b] = [kept(), kept()];
    return pair(name, { caseId: `c${index}` }, a, b, { a: 3 - a.length, b: 3 - b.length });
  });
}

/** How often a design was answered wrongly, and how often its interval held the truth. */
function measurePassRates(design, replications, seed) {
  const draw = new Draw(seed);
  const { chances } = design;
  const truth =
    design.truth ??
    truthOf((one) => {
      const [before, after] = chances(one);
      return after - before;
    });
  const counts = { false: 0, right: 0, covered: 0, noDifference: 0 };
  for (let round = 0; round < replications; round++) {
    const { answer, interval } = compareOne(name, design.world(draw));
    if (isDecided(answer)) counts[(answer === 'better') === truth > 0 && truth !== 0 ? 'right' : 'false']++;
    if (answer === 'no-difference' && Math.abs(truth) >= 0.05) counts.noDifference++;
    if (covers(interval, truth)) counts.covered++;
  }
  return {
    title: design.title,
    false: counts.false / replications,
    coverage: counts.covered / replications,
    noDifference: Math.abs(truth) >= 0.05 ? counts.noDifference / replications : undefined,
    power: truth === 0 ? undefined : counts.right / replications,
    wide: design.wide,
    leastPower: design.power,
  };
}

export const sections = [{ title: 'Pass rates', designs: passRateDesigns, measure: measurePassRates }];
