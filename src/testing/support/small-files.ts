import { type ChildProcess, spawn } from 'node:child_process';
import { type CommandOptions, commandEnvironment, programPath } from './assay.ts';

/** Starts the program with files that cannot grow beyond so many KiB: writing more fails, as on a full disk. */
export function startWithSmallFiles(kibibytes: number) {
  // The signal of the limit would end the process.
  const handled = 'data:text/javascript,process.on("SIGXFSZ",()=>undefined)';
  return (args: readonly string[], options: CommandOptions): ChildProcess => {
    const program = [process.execPath, '--import', handled, programPath, ...args];
    return spawn('sh', ['-c', `ulimit -f ${2 * kibibytes}; exec "$@"`, 'sh', ...program], {
      cwd: options.cwd,
      env: commandEnvironment(options),
    });
  };
}
