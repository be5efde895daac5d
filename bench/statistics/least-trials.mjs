import { Draw, logistic, source, usualEase } from './draw.mjs';

const { normalQuantile } = await source('shared/stats/distributions.ts');

/**
 * The fewest trials on average that any test can take which looks after each round, tries every case equally often, and
 * may use as many trials as the fixed plan. The variance is known to it, so a test that estimates it takes more. With the
 * cost of a wrong answer and of a missed one, the best test follows from the last look to the first (backward induction).
 */

const points = 241;
const alpha = 0.025;
/** How much harder all cases become, for a pass rate that is 10 points lower. */
const tenPoints = 0.794;

const designs = [
  { title: '50 cases, up to 4, 10 points', size: 1, rounds: 4, fixedPower: 0.775, power: 0.72 },
  { title: '20 cases, up to 20, 10 points', size: 2, rounds: 10, fixedPower: 0.925, power: 0.84 },
].flatMap((design) => [
  { ...design, title: `${design.title}: goes on to the end`, mayGiveUp: false },
  { ...design, title: `${design.title}: may give up`, mayGiveUp: true },
]);

/** Variance of the differences between cases, and of one trial on each side within a case. */
function variances() {
  const draw = new Draw(5);
  const count = 200_000;
  let [within, sum, squares] = [0, 0, 0];
  for (let index = 0; index < count; index++) {
    const ease = usualEase(draw);
    const [before, after] = [logistic(ease), logistic(ease - tenPoints)];
    within += before * (1 - before) + after * (1 - after);
    sum += after - before;
    squares += (after - before) ** 2;
  }
  return { within: within / count, between: squares / count - (sum / count) ** 2 };
}

function measure({ title, size, rounds, fixedPower, power, mayGiveUp }) {
  const { within, between } = variances();
  const information = (repeats) => 1 / (between + within / repeats);
  const times = Array.from(
    { length: rounds },
    (_, round) => information(size * (round + 1)) / information(size * rounds),
  );
  const drift = normalQuantile(1 - alpha) + normalQuantile(fixedPower);
  const looks = new Looks(times, drift);
  const test = looks.testWith(power, mayGiveUp);
  return { title, false: 2 * test.false, power: test.power, trials: test.trials };
}

/** A sum of differences that is looked at when so much of the information is there; with the drift, or without. */
class Looks {
  constructor(times, drift) {
    this.times = times;
    this.drift = drift;
    this.grids = times.map((time) => {
      const reach = 5.5 * Math.sqrt(time);
      const width = (drift * time + 2 * reach) / (points - 1);
      return { width, values: Float64Array.from({ length: points }, (_, index) => index * width - reach) };
    });
    this.steps = { drift: this.stepsWith(drift), none: this.stepsWith(0) };
  }

  /** The chances to come from each point of a look to each of the next one; the first look comes from 0. */
  stepsWith(drift) {
    return this.grids.map(({ values, width }, look) => {
      const past = this.times[look - 1] ?? 0;
      const time = this.times[look] - past;
      const from = look === 0 ? [0] : [...this.grids[look - 1].values];
      return from.map((start) =>
        values.map((value) => {
          const distance = (value - start - drift * time) / Math.sqrt(time);
          return (width * Math.exp(-0.5 * distance * distance)) / Math.sqrt(2 * Math.PI * time);
        }),
      );
    });
  }

  /** The test with this power, and the false answers that are allowed, that takes the fewest trials at the drift. */
  testWith(power, mayGiveUp) {
    let found;
    search(0.01, 200, (missed) => {
      search(1e-3, 1e5, (wrong) => {
        found = this.outcomeOf(this.bestTest({ wrong, missed, mayGiveUp }));
        return found.false > alpha;
      });
      return found.power < power;
    });
    return found;
  }

  /** Whether to go on at each point of each look (0), to reject (1) or to give up (2). */
  bestTest({ wrong, missed, mayGiveUp }) {
    const last = this.times.length - 1;
    const choices = [];
    let later;
    for (let look = last; look >= 0; look--) {
      const time = this.times[look];
      const costs = new Float64Array(points);
      choices[look] = new Uint8Array(points);
      for (const [index, value] of this.grids[look].values.entries()) {
        const options = [
          look === last
            ? Number.POSITIVE_INFINITY
            : 1 / this.times.length + expected(this.steps.drift[look + 1][index], later),
          wrong * Math.exp((this.drift ** 2 * time) / 2 - this.drift * value),
          look === last || mayGiveUp ? missed : Number.POSITIVE_INFINITY,
        ];
        costs[index] = Math.min(...options);
        choices[look][index] = options.indexOf(costs[index]);
      }
      later = costs;
    }
    return choices;
  }

  outcomeOf(choices) {
    const { rejected: power, trials } = this.follow(choices, this.steps.drift);
    return { power, trials, false: this.follow(choices, this.steps.none).rejected };
  }

  follow(choices, steps) {
    let open = Float64Array.of(1);
    let [rejected, trials] = [0, 0];
    for (const [look, choice] of choices.entries()) {
      trials += open.reduce((sum, chance) => sum + chance, 0) / choices.length;
      const next = new Float64Array(points);
      for (const [from, chance] of open.entries()) {
        if (chance < 1e-12) continue;
        const step = steps[look][from];
        for (let index = 0; index < points; index++) next[index] += chance * step[index];
      }
      for (let index = 0; index < points; index++) {
        if (choice[index] === 1) rejected += next[index];
        if (choice[index] !== 0) next[index] = 0;
      }
      open = next;
    }
    return { rejected, trials };
  }
}

function expected(chances, costs) {
  let sum = 0;
  for (let index = 0; index < points; index++) sum += chances[index] * costs[index];
  return sum;
}

/** Halves the range (of logarithms) until both ends are the same; goes up while the value is too low. */
function search(low, high, isTooLow) {
  let [from, to] = [low, high];
  for (let step = 0; step < 18; step++) {
    const middle = Math.sqrt(from * to);
    if (isTooLow(middle)) from = middle;
    else to = middle;
  }
}

export const sections = [{ title: 'The fewest trials of any test with these looks', designs, measure }];
