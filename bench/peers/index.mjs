import { existsSync, readFileSync, symlinkSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { runNode, withFolder } from '../measure.mjs';
import { promptfoo } from './promptfoo.mjs';
import { vitestEvals } from './vitest-evals.mjs';

const onlyLoopback = new URL('./only-loopback.mjs', import.meta.url).href;
const peers = [promptfoo, vitestEvals];
const notInstalled = 'no peers: ASSAY_BENCH_PEERS names no folder that has them';

/** The peers that are installed in the folder that `ASSAY_BENCH_PEERS` names; nothing is ever downloaded. */
function installedPeers() {
  const folder = process.env.ASSAY_BENCH_PEERS;
  if (!folder) return [];
  const modules = join(resolve(folder), 'node_modules');
  return peers.flatMap((peer) => {
    const places = [peer.name, peer.program].map((name) => join(modules, name));
    return places.every((place) => existsSync(place)) ? [{ ...peer, modules }] : [];
  });
}

/** Versions of the peers that are measured beside. */
export function describePeers() {
  const found = installedPeers().map(({ name, modules }) => {
    const { version } = JSON.parse(readFileSync(join(modules, name, 'package.json'), 'utf8'));
    return `${name} ${version}`;
  });
  return found.length === 0 ? notInstalled : `peers: ${found.join(', ')}`;
}

/**
 * What the peers take for the same work, in the words of `tell`. A peer that did not pass every case has no figure: it
 * has not done the work.
 */
export async function besidePeers(workload, tell) {
  const figures = [];
  for (const peer of installedPeers()) {
    const first = await secondsOf(peer, workload);
    // A peer may crash by chance, and then has a second try.
    const seconds = typeof first === 'number' ? first : await secondsOf(peer, workload);
    figures.push(`${peer.name} ${typeof seconds === 'number' ? await tell(seconds) : seconds}`);
  }
  return figures.length === 0 ? notInstalled : figures.join(', ');
}

function secondsOf(peer, workload) {
  return withFolder(peer.filesFor(workload), (cwd) => {
    symlinkSync(peer.modules, join(cwd, 'node_modules'));
    const { bin } = JSON.parse(readFileSync(join(peer.modules, peer.program, 'package.json'), 'utf8'));
    const script = join(peer.modules, peer.program, typeof bin === 'string' ? bin : bin[peer.program]);
    const env = { ...peer.envFor(cwd), NODE_OPTIONS: `--import=${onlyLoopback}`, NO_COLOR: '1' };
    try {
      const { seconds } = runNode([script, ...peer.argumentsFor(workload)], { cwd, env });
      const passed = peer.passedIn(cwd);
      return passed === workload.cases ? seconds : `passed ${passed} of ${workload.cases}`;
    } catch (error) {
      return `did not run: ${problemIn(error)}`;
    }
  });
}

/** How a program ended and what it said last. */
function problemIn({ message }) {
  const [ended = ''] = /ended with \S+/.exec(message) ?? [message.slice(0, 100)];
  return `${ended}, ${message.replace(/\s+/g, ' ').trim().slice(-200)}`;
}
