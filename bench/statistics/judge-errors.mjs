import { covers, Draw, logistic, source, truthOf, usualEase } from './draw.mjs';

const { correctedComparison, leastDiscrimination } = await source('shared/stats/correct-judge.ts');

const kinds = {
  unchanged: 0,
  'a drop of 9.4 points': 0.75,
  'a drop of 20 points': 1.6,
};

const designs = Object.entries(kinds).flatMap(([kind, by]) => [
  { title: `50 x 5, ${kind}, 100 labels`, cases: 50, repeats: 5, by, labels: 100, falsePass: 0.15, falseFail: 0.1 },
  { title: `20 x 5, ${kind}, 60 labels`, cases: 20, repeats: 5, by, labels: 60, falsePass: 0.2, falseFail: 0.1 },
  { title: `100 x 3, ${kind}, 200 labels`, cases: 100, repeats: 3, by, labels: 200, falsePass: 0.3, falseFail: 0.05 },
]);

/** How often people find something else than the judge in trials that are labelled. */
function calibration(draw, { labels, falsePass, falseFail }) {
  const counts = { falsePasses: { count: 0, of: 0 }, falseFails: { count: 0, of: 0 } };
  for (let index = 0; index < labels; index++) {
    const isPass = draw.isTrue(0.65);
    const rate = isPass ? counts.falseFails : counts.falsePasses;
    rate.of++;
    if (draw.isTrue(isPass ? falseFail : falsePass)) rate.count++;
  }
  return counts;
}

function judgedSide(draw, repeats, chance, { falsePass, falseFail }) {
  const verdicts = draw.tries(repeats, chance).map((value) => draw.isTrue(value === 1 ? 1 - falseFail : falsePass));
  const passed = verdicts.filter(Boolean).length;
  return { trials: repeats, passed, judged: new Map([['judge', { passed, failed: repeats - passed }]]) };
}

/** Coverage of the difference that people would have found; a calibration that cannot correct is drawn again. */
function measure(design, replications, seed) {
  const { title, cases, repeats, by } = design;
  const draw = new Draw(seed);
  const truth = by === 0 ? 0 : truthOf((each) => changeOf(usualEase(each), by));
  const counts = { covered: 0, false: 0, found: 0 };
  for (let round = 0; round < replications; round++) {
    let errors = calibration(draw, design);
    while (leastDiscrimination(errors) <= 0) errors = calibration(draw, design);
    const pairs = Array.from({ length: cases }, (_, index) => {
      const ease = usualEase(draw);
      const a = judgedSide(draw, repeats, logistic(ease), design);
      return { unit: `c${index}`, a, b: judgedSide(draw, repeats, logistic(ease - by), design) };
    });
    const { interval } = correctedComparison(pairs, new Map([['judge', errors]]));
    if (covers(interval, truth)) counts.covered++;
    const isDecided = interval.low > 0 || interval.high < 0;
    if (isDecided) counts[by !== 0 && interval.high < 0 ? 'found' : 'false']++;
  }
  return {
    title,
    false: counts.false / replications,
    coverage: counts.covered / replications,
    power: by === 0 ? undefined : counts.found / replications,
  };
}

function changeOf(ease, by) {
  return logistic(ease - by) - logistic(ease);
}

export const sections = [{ title: 'Pass rates corrected for the errors of a judge', designs, measure }];
