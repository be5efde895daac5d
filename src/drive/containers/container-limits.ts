import { readFileSync } from 'node:fs';
import type { SystemRequest } from '../workspace/isolation.ts';

/** More files and processes than an agent needs, and few enough for engines that must not raise limits. */
const mostOpen = 16_384;

/** Limits within those of this process: engines set higher ones by default, which not every machine allows. */
export function ulimits(): string[] {
  const text = readFileSync('/proc/self/limits', 'utf8');
  return Object.entries({ nofile: 'Max open files', nproc: 'Max processes' }).flatMap(([option, name]) => {
    const own = new RegExp(`^${name}\\s+\\S+\\s+(\\d+)`, 'm').exec(text)?.[1];
    const most = Math.min(Number(own ?? mostOpen), mostOpen);
    return ['--ulimit', `${option}=${most}:${most}`];
  });
}

export function resourceLimits({ cpus, memoryMb }: Pick<SystemRequest, 'cpus' | 'memoryMb'>): string[] {
  return [
    ...ulimits(),
    ...(cpus === undefined ? [] : ['--cpus', String(cpus)]),
    ...(memoryMb === undefined ? [] : ['--memory', `${memoryMb}m`]),
  ];
}
