import { dirname, relative } from 'node:path';
import { AssayError } from '../../domain/errors.ts';
import type { TrustChecks } from '../../shared/project-trust.ts';
import { findConfig } from '../config/find-config.ts';
import { TrustedProjects } from './trusted-projects.ts';

type Env = Readonly<Record<string, string | undefined>>;

/** The folder that is trusted or not: that of the config, or the current one where there is none. */
export function projectFolder(cwd: string): string {
  const configFile = findConfig(cwd);
  return configFile === undefined ? cwd : dirname(configFile);
}

/** For commands that run a project: its user named it, so its code is trusted from then on. Its addresses are not. */
export function runningChecks(cwd: string, env: Env): TrustChecks {
  const trusted = new TrustedProjects(env);
  let isRecorded = false;
  return {
    code() {
      if (isRecorded) return;
      isRecorded = true;
      try {
        trusted.add(projectFolder(cwd));
      } catch {
        // Where nothing can be written, the next command that only reads says so.
      }
    },
    address: addressCheck(trusted, cwd),
  };
}

/** For commands that only read: nothing of a project is run before its user has run or trusted it. */
export function readingChecks(cwd: string, env: Env): TrustChecks {
  const trusted = new TrustedProjects(env);
  return {
    code(file) {
      if (trusted.has(projectFolder(cwd)) || trusted.has(dirname(file))) return;
      const message = `${relative(cwd, file) || file} is code of a project that you have neither run nor trusted, and this command only reads.`;
      throw new AssayError('PROJECT_NOT_TRUSTED', message);
    },
    address: addressCheck(trusted, cwd),
  };
}

function addressCheck(trusted: TrustedProjects, cwd: string): TrustChecks['address'] {
  return (url, variable) => {
    const { origin, hostname } = new URL(url);
    if (isLoopback(hostname) || trusted.mayReceive(projectFolder(cwd), origin)) return;
    throw new AssayError('ADDRESS_NOT_TRUSTED', `A file of the project sends ${variable} to ${origin}.`, {
      hint: `Run \`assay trust ${origin}\` if that is meant.`,
    });
  };
}

/** Nothing leaves the machine. */
function isLoopback(hostname: string): boolean {
  return hostname === 'localhost' || hostname === '[::1]' || /^127(?:\.\d{1,3}){3}$/.test(hostname);
}
