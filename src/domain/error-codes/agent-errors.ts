import type { ErrorKind } from './error-kind.ts';

/** The agent that drives a tool, and the place where it works. */
export const agentErrors = {
  AGENT_UNKNOWN: {
    meaning: 'no agent has this name',
    blame: 'user',
    exitCode: 2,
    hint: 'List the agents with `assay agents`.',
  },
  AGENT_MISSING: {
    meaning: 'the agent is not installed on this machine',
    blame: 'user',
    exitCode: 3,
    hint: 'Install the agent; `assay agents` shows how.',
  },
  AGENT_TOO_OLD: {
    meaning: 'the installed version of the agent is older than the oldest supported one',
    blame: 'user',
    exitCode: 3,
    hint: 'Update the agent.',
  },
  AGENT_NO_KEY: {
    meaning: 'the agent has no API key for its model',
    blame: 'user',
    exitCode: 3,
    hint: 'Set the key that the agent needs in the environment.',
  },
  AGENT_CRASHED: {
    meaning: 'the agent was ended by a signal',
    blame: 'agent',
    exitCode: 3,
    hint: 'Read the output of the agent in transcript.raw.txt.',
  },
  AGENT_FAILED: {
    meaning: 'the agent ended with an error before it did anything, or could not be used',
    blame: 'agent',
    exitCode: 3,
    hint: 'Read the output of the agent in transcript.raw.txt.',
  },
  TASK_UNSUPPORTED: {
    meaning: 'the task folder needs something that Assay does not have',
    blame: 'user',
    exitCode: 3,
    hint: 'Leave the task out, or run it with the program that it was made for.',
  },
  NOTHING_PROVEN: {
    meaning: 'all gates of the scenario passed before the agent started, so they prove nothing',
    blame: 'user',
    exitCode: 2,
    hint: 'Add a gate that fails until the work is done; `assay validate --prove` lists the gates that already pass. If it is meant, set `evaluation: { proves: false }`.',
  },
  GRADER_CHANGED: {
    meaning: 'the agent changed a file that judges its work',
    blame: 'agent',
    exitCode: 3,
    hint: 'Read in the trace what the agent did. If the task is to change this file, list the files that judge under `evaluation.graders`.',
  },
  HEALTH_CHECK_FAILED: {
    meaning: 'the health check of the tool failed before the agent started, or after it ended',
    blame: 'target',
    exitCode: 3,
    hint: 'Make the `health_check` command of the scenario succeed by hand first; if it failed after the agent ended, read in the trace what the agent did to the tool.',
  },
  WORKSPACE_FAILED: {
    meaning: 'the work directory of a trial could not be created or read',
    blame: 'engine',
    exitCode: 3,
    hint: 'Check that the artifacts folder is writable.',
  },
  ISOLATION_UNAVAILABLE: {
    meaning: 'the requested isolation does not work on this machine',
    blame: 'user',
    exitCode: 2,
    hint: 'Choose another isolation; `assay doctor` lists those that work here.',
  },
} as const satisfies Record<string, ErrorKind>;
