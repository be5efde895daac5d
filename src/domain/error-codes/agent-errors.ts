import type { ErrorRows } from './error-kind.ts';

/** The agent that drives a tool, and the place where it works. */
export const agentErrors = {
  user: {
    2: {
      AGENT_UNKNOWN: ['no agent has this name', 'List the agents with `assay list agents`.'],
      NOTHING_PROVEN: [
        'all gates of the scenario passed before the agent started, so they prove nothing',
        'Add a gate that fails until the work is done; `assay validate --prove` lists the gates that already pass. If it is meant, set `evaluation: { proves: false }`.',
      ],
      APPROVAL_UNANSWERED: [
        'the agent requested an approval that the policy of the scenario does not answer',
        'Add a rule for it to `approvals`; a last rule without `tool` is about everything else.',
      ],
      APPROVALS_UNSUPPORTED: [
        'the scenario has a policy of approvals, and the agent cannot ask when it runs without a terminal',
        'Run it over the Agent Client Protocol where it has it (`kind: acp`), or leave `approvals` out.',
      ],
      HARNESS_UNSUPPORTED: [
        'the agent cannot be handed a part of the harness, or could not be seen to have it',
        'Leave the part out for this agent: `agents` of a harness names those that get it.',
      ],
      HARNESS_UNPROVEN: [
        'the agent did not show a part of the harness that it was handed, so its trial says nothing about the harness',
        'Read the event `harness` of the trace and the output of the agent in transcript.raw.txt: agents silently ignore files that they cannot use.',
      ],
      ISOLATION_UNAVAILABLE: [
        'the requested isolation does not work on this machine',
        'Choose another isolation; `assay doctor` lists those that work here.',
      ],
    },
    3: {
      AGENT_MISSING: [
        'the agent is not installed on this machine',
        'Install the agent; `assay list agents` shows how.',
      ],
      AGENT_TOO_OLD: ['the installed version of the agent is older than the oldest supported one', 'Update the agent.'],
      BROWSER_MISSING: [
        'no Chromium was found for the agent, or it does not start',
        'Install Chromium (on Debian `apt install chromium`), or name one in ASSAY_CHROMIUM; `assay doctor` says what was found.',
      ],
      SITE_NOT_READY: [
        'the pages that a browser begins with could not be opened',
        'Run the `site` of the scenario by hand with a PORT, or open `start` in a browser.',
      ],
      AGENT_NO_KEY: ['the agent has no API key for its model', 'Set the key that the agent needs in the environment.'],
      TASK_UNSUPPORTED: [
        'the task folder needs something that Assay does not have',
        'Leave the task out, or run it with the program that it was made for.',
      ],
    },
  },
  agent: {
    3: {
      AGENT_CRASHED: ['the agent was ended by a signal', 'Read the output of the agent in transcript.raw.txt.'],
      AGENT_FAILED: [
        'the agent ended with an error before it did anything, or could not be used',
        'Read the output of the agent in transcript.raw.txt.',
      ],
      GRADER_CHANGED: [
        'the agent changed a file that judges its work',
        'Read in the trace what the agent did. If the task is to change this file, list the files that judge under `evaluation.graders`.',
      ],
    },
  },
  target: {
    3: {
      HEALTH_CHECK_FAILED: [
        'the health check of the tool failed before the agent started, or after it ended',
        'Make the `health_check` command of the scenario succeed by hand first; if it failed after the agent ended, read in the trace what the agent did to the tool.',
      ],
    },
  },
  engine: {
    3: {
      BROWSER_DIED: [
        'the browser of the agent ended before the trial did',
        'Read in the trace what the agent did to it; Chromium also ends where memory is short.',
      ],
      TRIAL_NOT_REPEATED: [
        'the agent did not repeat the requests of the attempt that its trial goes on from',
        'Run the trial again with `assay run --retry-errors`.',
      ],
      WORKSPACE_FAILED: [
        'the work directory of a trial could not be created or read',
        'Check that the artifacts folder is writable.',
      ],
    },
  },
} as const satisfies ErrorRows;
