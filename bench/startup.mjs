import { inTurns, program, runNode, withFolder } from './measure.mjs';
import { besidePeers } from './peers/index.mjs';

const scenario = `name: One
call: { module: ./tool.mjs, export: add }
input: { a: 1, b: 2 }
passCriteria: [result.sum === 3]
`;
const tool = "export const add = ({ a, b }) => ({ sum: a + b, ok: true, message: 'added' });\n";

/** How long a command takes to start, as a multiple of Node itself. */
export function startup() {
  return withFolder({ 's.yaml': scenario, 'tool.mjs': tool }, async (cwd) => {
    const bareNode = () => runNode(['-e', '0'], { cwd });
    const version = () => runNode([program, '--version'], { cwd });
    const oneCase = () => runNode([program, 'run', 's.yaml', '--quiet'], { cwd });
    oneCase();
    const [bare, versionTime, caseTime] = inTurns(15, [bareNode, version, oneCase]);
    const oneCaseToo = { kind: 'cheap', cases: 1, concurrency: 1, files: { 'tool.mjs': tool } };
    const peers = await besidePeers(oneCaseToo, (seconds) => `${(seconds / bare).toFixed(1)} x`);
    return [
      { what: 'bare `node -e 0`', measured: `${(bare * 1_000).toFixed(0)} ms` },
      atMost('`assay --version`', versionTime / bare, 1.5),
      {
        ...atMost('`assay run` of one trivial case', caseTime / bare, 2.2),
        goal: 'one trivial case, start to end',
        peers,
      },
    ];
  });
}

function atMost(what, ratio, limit) {
  return { what, measured: `${ratio.toFixed(2)} x bare Node`, target: `at most ${limit} x`, isMet: ratio <= limit };
}
