import { execFileSync, spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, type TestContext } from 'vitest';
import type { IsolationTier } from '../../domain/isolation-tier.ts';
import type { Attack, Defence } from './defence-table.ts';
import { runShell } from './hostile-runs.ts';
import { temporaryFolder } from './temporary-folder.ts';

/** Opens a file by the handle that the kernel has for it, which asks neither for a path nor for a mount. */
const handles = `
import ctypes, os, sys
class Handle(ctypes.Structure):
    _fields_ = [('size', ctypes.c_uint), ('kind', ctypes.c_int), ('bytes', ctypes.c_ubyte * 128)]
libc = ctypes.CDLL(None)
if sys.argv[1] == 'name':
    handle = Handle(128)
    libc.name_to_handle_at(-100, sys.argv[2].encode(), ctypes.byref(handle), ctypes.byref(ctypes.c_int()), 0)
    print(handle.kind, bytes(handle.bytes[:handle.size]).hex())
else:
    bytes = bytes.fromhex(sys.argv[3])
    handle = Handle(len(bytes), int(sys.argv[2]), (ctypes.c_ubyte * 128)(*bytes))
    print(os.read(libc.open_by_handle_at(os.open('.', os.O_RDONLY), ctypes.byref(handle), os.O_RDONLY), 99).decode())
`;
const python = '/usr/bin/python3';

async function readsByHandle(tier: IsolationTier, { skip }: TestContext): Promise<Defence> {
  const hidden = await temporaryFolder({ 'solution.txt': 'the solution', 'handles.py': handles });
  const file = join(hidden, 'solution.txt');
  const named = spawnSync(python, [join(hidden, 'handles.py'), 'name', file], { encoding: 'utf8' });
  if (named.status !== 0) return skip('there is no Python here');
  const script = `cat ${file} > found 2>/dev/null || ${python} handles.py open ${named.stdout.trim()} > found`;
  const { left, trial } = await runShell({ tier, script, files: { 'template/handles.py': handles } });
  expect(trial.outcome).toBe('pass');
  return left('found').includes('the solution') ? 'possible' : 'prevented';
}

/** The program that the kernel starts, as root and outside of every isolation, when another one crashes. */
const kernelSetting = '/proc/sys/kernel/core_pattern';

async function changesKernel(tier: IsolationTier, { skip }: TestContext): Promise<Defence> {
  if (process.geteuid?.() !== 0) return skip('only root could');
  // To the value that it has.
  const script = `cat ${kernelSetting} > value; cat value > ${kernelSetting} && echo yes > changed`;
  const { left, trial } = await runShell({ tier, script });
  expect(trial.outcome).toBe('pass');
  return left('changed') === '' ? 'prevented' : 'possible';
}

async function leavesSharedMemory(tier: IsolationTier, { skip }: TestContext): Promise<Defence> {
  const key = 0x41_00_00_00 + process.pid;
  const program = `import ctypes; ctypes.CDLL(None).shmget(${key}, 64, 0o1600)`;
  if (spawnSync(python, ['-c', 'import ctypes']).status !== 0) return skip('there is no Python here');
  const { trial } = await runShell({ tier, script: `${python} -c '${program}'` });
  expect(trial.outcome).toBe('pass');
  const left = readFileSync('/proc/sysvipc/shm', 'utf8')
    .split('\n')
    .find((line) => line.trim().startsWith(`${key} `));
  if (left === undefined) return 'prevented';
  const remove = `import ctypes; libc = ctypes.CDLL(None); libc.shmctl(libc.shmget(${key}, 0, 0), 0, None)`;
  execFileSync(python, ['-c', remove]);
  return 'possible';
}

async function looksBelowMounts(tier: IsolationTier): Promise<Defence> {
  const hidden = await temporaryFolder({ 'solution.txt': 'the solution' });
  const look = `for place in ${hidden} ${tmpdir()} /tmp /var /home /root; do umount -l $place; done; cat ${hidden}/solution.txt > found`;
  const script = `cat ${hidden}/solution.txt > found || unshare --user --map-root-user --mount sh -c '${look}'; true`;
  const { left, trial } = await runShell({ tier, script });
  expect(trial.outcome).toBe('pass');
  return left('found').includes('the solution') ? 'possible' : 'prevented';
}

/** Ways to reach the machine that need no path, by their names in the documentation. */
export const machineAttacks: Readonly<Record<string, Attack>> = {
  'opens a hidden file by its handle': readsByHandle,
  'removes mounts in its own user namespace': looksBelowMounts,
  'changes settings of the kernel': changesKernel,
  'leaves data for other trials in shared memory': leavesSharedMemory,
};
