import { fileURLToPath } from 'node:url';
import { createJiti } from 'jiti';

const jiti = createJiti(import.meta.url);

/** A module of the program, from its source. */
export function source(path) {
  return jiti.import(fileURLToPath(new URL(`../../src/${path}`, import.meta.url)));
}

const { seededRandom } = await source('shared/seeded-random.ts');
const { compareFigures } = await source('report/compare/compare-figures.ts');

/** Draws that are the same each time. */
export class Draw {
  constructor(seed) {
    this.random = seededRandom(seed);
  }

  normal() {
    return Math.sqrt(-2 * Math.log(1 - this.random())) * Math.cos(2 * Math.PI * this.random());
  }

  isTrue(chance) {
    return this.random() < chance;
  }

  tries(count, chance) {
    return Array.from({ length: count }, () => (this.random() < chance ? 1 : 0));
  }
}

export function logistic(value) {
  return 1 / (1 + Math.exp(-value));
}

/** How easy the cases of a usual suite are: most nearly always pass, some hardly ever do. */
export function usualEase(draw) {
  return 1.2 + 2.5 * draw.normal();
}

/** One case on one side, as a comparison sees it. */
function collected(scenario, caseId, variant, figures, unjudged = 0) {
  const passes = figures['pass-rate'];
  const judged = passes ?? Object.values(figures)[0] ?? [];
  const passed = passes ? passes.filter((value) => value === 1).length : judged.length;
  return {
    scenario,
    caseId,
    variant,
    passed,
    failed: judged.length - passed,
    unjudged,
    figures: new Map(Object.entries(figures).filter(([, values]) => values.length > 0)),
    checks: new Map(),
    success: null,
    failure: null,
    unjudgedTrial: null,
  };
}

/** A pair of cases from the values of one figure. */
export function pair(name, place, a, b, lost = {}) {
  const { scenario = 'suite', caseId, variant = {}, cluster } = place;
  return {
    ...(cluster !== undefined && { cluster }),
    scenario,
    caseId,
    variant,
    a: collected(scenario, caseId, variant, { [name]: a }, lost.a),
    b: collected(scenario, caseId, variant, { [name]: b }, lost.b),
  };
}

/** A pair of cases from the values of several figures. */
export function pairOfFigures(caseId, a, b) {
  const place = ['suite', caseId, {}];
  return { scenario: 'suite', caseId, variant: {}, a: collected(...place, a), b: collected(...place, b) };
}

/** All figures, as users get them. */
export function compareAll(pairs) {
  return compareFigures(pairs, {}, null);
}

/** The comparison that users get of one figure. */
export function compareOne(name, pairs, choice = {}) {
  return compareFigures(pairs, { ...choice, only: [name] }, null)[0];
}

export function covers(interval, truth) {
  return interval !== undefined && interval.low <= truth && truth <= interval.high;
}

export function isDecided(answer) {
  return answer !== 'no-difference' && answer !== 'not-enough-data';
}

export function mean(values) {
  return values.reduce((sum, value) => sum + value, 0) / values.length;
}

/** Mean of many draws of what a world gives. */
export function truthOf(drawOne, count = 200_000) {
  const draw = new Draw(99);
  let sum = 0;
  for (let index = 0; index < count; index++) sum += drawOne(draw);
  return sum / count;
}
