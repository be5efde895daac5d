import { setTimeout as wait } from 'node:timers/promises';
import { randomFrom } from '../storm/random.mjs';
import { Expectations } from './expectations.mjs';
import { Gate } from './gate.mjs';
import { actors } from './operations.mjs';
import { Program } from './program.mjs';
import { concurrency, Project } from './project.mjs';
import { Resident } from './resident.mjs';
import { Server } from './server.mjs';

/** Between two looks at everything, for which all actors wait. */
const lookEveryMs = 15_000;

/**
 * Operations by chance on one store, by several actors at once, until the time or the number of operations is reached. The
 * same seed gives each actor the same operations in the same order; what a kill catches, and what happens at the same
 * time, depends on the machine.
 */
export async function soak({ storeUrl, seed, minutes, most, faultsOf }) {
  const project = new Project();
  const url = storeUrl(project);
  const program = new Program(project, url);
  const expected = new Expectations(program);
  const server = new Server();
  const residents = [new Resident(project, url), new Resident(project, url)];
  const faults = faultsOf?.(project);
  const counts = {};
  const limits = { until: Date.now() + minutes * 60_000, most, count: 0, isBroken: false };
  const shared = { expected, project, server, faults, storeUrl: url, gate: new Gate(), counts, limits };
  const [resident, resident2] = residents;
  const doers = { programs: program, resident, resident2, requests: program, requests2: program };
  try {
    await server.start(program);
    const acting = Object.keys(actors).map((name, index) =>
      act(name, { ...shared, program: doers[name], random: randomFrom(seed * 10 + index) }),
    );
    // What the others do is waited for: they would work on in a folder that is removed.
    const ends = await Promise.allSettled([...acting, lookAtAll(shared)]);
    for (const { reason } of ends) if (reason) throw reason;
    await expected.check();
    checkRepetitions(project, expected, program);
    const kills = residents.reduce((sum, each) => sum + each.kills, program.ends + program.kills);
    const slow = [project.callsOf('slow'), expected.planned.slow];
    return { operations: limits.count, kills, faults: faults?.count ?? 0, calls: project.calls, slow, counts };
  } finally {
    limits.isBroken = true;
    await Promise.all([server.stop('SIGKILL'), ...residents.map((each) => each.kill())]);
    project.remove();
  }
}

const isOver = ({ until, most, count, isBroken }) => isBroken || Date.now() >= until || count >= most;

async function act(actor, state) {
  const { limits, gate, counts, random } = state;
  while (!isOver(limits)) {
    const name = drawn(random, actors[actor]);
    const { act: perform, isAlone } = actors[actor][name];
    const count = ++limits.count;
    counts[`${actor}.${name}`] = (counts[`${actor}.${name}`] ?? 0) + 1;
    const work = () => perform({ ...state, count });
    await (isAlone ? gate.alone(work) : gate.together(work)).catch((cause) => {
      limits.isBroken = true;
      throw new Error(`operation ${count} (${actor}, ${name}): ${cause.message}`, { cause });
    });
  }
}

async function lookAtAll({ limits, gate, expected }) {
  for (let next = Date.now() + lookEveryMs; !isOver(limits); await wait(100)) {
    if (Date.now() < next) continue;
    next = Date.now() + lookEveryMs;
    await gate
      .alone(() => expected.check())
      .catch((error) => {
        limits.isBroken = true;
        throw error;
      });
  }
}

/** What was under way when a process was ended is run again, and what still waited for its commit; nothing else. */
function checkRepetitions(project, expected, program) {
  const calls = project.callsOf('slow');
  const most = expected.planned.slow + program.ends * 2 * concurrency;
  if (calls > most) throw new Error(`${calls} calls of the slow tool, where at most ${most} are explained`);
}

function drawn(random, operations) {
  const entries = Object.entries(operations);
  const total = entries.reduce((sum, [, { weight }]) => sum + weight, 0);
  let left = random() * total;
  for (const [name, { weight }] of entries) {
    left -= weight;
    if (left < 0) return name;
  }
  return entries[0][0];
}
