import { compareOne, Draw, isDecided, pair, source } from './draw.mjs';

const { plan } = await source('engine/plan.ts');

const name = 'duration-ms';
const arms = ['a', 'b'];

/**
 * Durations of two identical arms of one run: trials are started in the order of the plan, as many at a time as the concurrency. Each takes
 * longer the more of them are running, and the machine becomes slower and faster in the course of the run.
 */
async function durations(draw, { cases, repeats, concurrency }, runId) {
  const scenario = {
    ...{ name: 's', file: 's.yaml', contentHash: 'h', repeat: repeats },
    variants: arms.map((model) => ({ model })),
    async *cases() {
      for (let index = 0; index < cases; index++) yield { caseId: `c${index}` };
    },
  };
  const taken = new Map();
  const usual = Array.from({ length: cases }, () => 1_000 * Math.exp(0.5 * draw.normal()));
  const running = [];
  let now = 0;
  for await (const { case: one, variant } of plan(runId, [scenario])) {
    if (running.length >= concurrency) now = Math.max(now, running.sort((x, y) => x - y).shift());
    const load = 1 + 0.5 * (running.length / concurrency);
    const drift = 1 + 0.3 * Math.sin(now / 20_000);
    const took = usual[Number(one.caseId.slice(1))] * load * drift * Math.exp(0.2 * draw.normal());
    running.push(now + took);
    const key = `${one.caseId} ${variant.model}`;
    taken.set(key, [...(taken.get(key) ?? []), took]);
  }
  return Array.from({ length: cases }, (_, index) => {
    const [a, b] = arms.map((arm) => taken.get(`c${index} ${arm}`));
    return pair(name, { caseId: `c${index}` }, a, b);
  });
}

const designs = [1, 8, 32].map((concurrency) => ({
  title: `identical arms, 20 cases x 5, ${concurrency} at a time`,
  ...{ cases: 20, repeats: 5, concurrency },
}));

/** False: the question that is answered more often with a difference. */
async function measure(design, replications, seed) {
  const draw = new Draw(seed);
  let [onTasks, likeThese] = [0, 0];
  for (let round = 0; round < replications; round++) {
    const { answer, typical, onTheseTasks } = compareOne(name, await durations(draw, design, `r-${seed}-${round}`));
    if (isDecided(onTheseTasks.answer)) onTasks++;
    if (isDecided(typical?.answer ?? answer)) likeThese++;
  }
  return { title: design.title, false: Math.max(onTasks, likeThese) / replications, mostFalse: 0.06 };
}

export const sections = [{ title: 'Durations of identical arms of one run', designs, measure }];
