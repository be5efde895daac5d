import { randomFrom } from '../storm/random.mjs';
import { Expectations } from './expectations.mjs';
import { operations } from './operations.mjs';
import { Program } from './program.mjs';
import { concurrency, Project } from './project.mjs';
import { Server } from './server.mjs';

/**
 * Operations by chance on one store until the time or the number of operations is reached. The same seed gives the same
 * operations in the same order; only what a kill catches depends on the machine.
 */
export async function soak({ storeUrl, seed, minutes, most }) {
  const random = randomFrom(seed);
  const project = new Project();
  const program = new Program(project, storeUrl(project));
  const expected = new Expectations(program);
  const server = new Server();
  const counts = {};
  const until = Date.now() + minutes * 60_000;
  let count = 0;
  try {
    await server.start(program);
    while (Date.now() < until && count < most) {
      const name = drawn(random);
      count += 1;
      counts[name] = (counts[name] ?? 0) + 1;
      const state = { program, expected, project, server, random, count, storeUrl: storeUrl(project) };
      await operations[name].act(state).catch((cause) => {
        throw new Error(`operation ${count} (${name}): ${cause.message}`, { cause });
      });
      if (count % 10 === 0) await expected.check();
    }
    await expected.check();
    checkRepetitions(project, expected, program);
    return {
      operations: count,
      counts,
      ends: program.ends,
      killedWhileOpening: program.kills,
      calls: project.calls,
      slow: [project.callsOf('slow'), expected.planned.slow],
    };
  } finally {
    await server.stop('SIGKILL');
    project.remove();
  }
}

/** What was under way when a process was ended is run again, and what still waited for its commit; nothing else. */
function checkRepetitions(project, expected, program) {
  const calls = project.callsOf('slow');
  const most = expected.planned.slow + program.ends * 2 * concurrency;
  if (calls > most) throw new Error(`${calls} calls of the slow tool, where at most ${most} are explained`);
}

function drawn(random) {
  const entries = Object.entries(operations);
  const total = entries.reduce((sum, [, { weight }]) => sum + weight, 0);
  let left = random() * total;
  for (const [name, { weight }] of entries) {
    left -= weight;
    if (left < 0) return name;
  }
  return entries[0][0];
}
