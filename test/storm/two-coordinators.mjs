import { holdAgainstPromises } from './account.mjs';

export const twoCoordinators = {
  title: 'a run whose coordinator is killed is taken over by one of two others',
  stage: { trials: 400, shortestMs: 20, longestMs: 200 },
  async run({ stage, fleet, account }) {
    const first = stage.run();
    for (let index = 0; index < 3; index++) fleet.start({ leaseSecs: 2 });
    await stage.untilStored(20);
    const early = await stage.run(['--resume', 'latest']).end;
    account.promise('a second coordinator is refused while the first is there', isRefused(early), early.stderr);
    first.child.kill('SIGKILL');
    const both = await Promise.all([1, 2].map(() => stage.run(['--resume', 'latest']).end));
    await fleet.end();
    const [ended, ...others] = [...both].sort((one, other) => Number(isRefused(one)) - Number(isRefused(other)));
    await holdAgainstPromises(account, { stage, fleet, ended });
    // One that comes when all is done has nothing left to coordinate, and reports.
    const isAsWanted = others.every((other) => isRefused(other) || other.exitCode === ended.exitCode);
    account.promise('the other one is refused, or reports the same', isAsWanted, others[0]?.stderr);
  },
};

const isRefused = ({ exitCode, stderr }) => exitCode === 2 && stderr.includes('is being run by');
