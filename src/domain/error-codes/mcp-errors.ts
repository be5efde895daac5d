import type { ErrorRows } from './error-kind.ts';

/** The MCP server under test. */
export const mcpErrors = {
  target: {
    3: {
      MCP_SERVER_NOT_STARTED: [
        'the MCP server could not be started',
        'Install the program or correct its command: started by hand, it must keep running.',
      ],
      MCP_SERVER_UNREACHABLE: [
        'the MCP server could not be reached at its URL',
        'Check that the server is running, that the URL is correct and that it supports this transport.',
      ],
      MCP_AUTHORIZATION_FAILED: [
        'the authorization server of the MCP server cannot be used as the standards say',
        'Fix the metadata or the answers that the message names; nothing was sent with a token.',
      ],
      MCP_SERVER_DIED: [
        'the MCP server ended while it was needed',
        'Read the last lines of its stderr in the message to see why the server ended.',
      ],
      MCP_SERVER_TIMEOUT: [
        'the MCP server did not answer within the time limit',
        'Raise `timeout`, or find out why the server does not answer.',
      ],
      MCP_PROTOCOL_VIOLATED: [
        'the MCP server sent a message that the protocol does not allow',
        'Fix the server; run `assay mcp check` to find other violations.',
      ],
      MCP_TOOLS_CHANGED: [
        'the tools of the MCP server changed during the run',
        'Keep the tools of the server unchanged during a run, or start another run: results before and after a change cannot be compared.',
      ],
      MCP_FEATURE_ABSENT: [
        'the MCP server does not offer the feature that the test needs',
        'Remove the test, or add the feature to the server.',
      ],
    },
  },
  user: {
    3: {
      MCP_SERVER_REFUSED: [
        'the MCP server refused the connection or the key',
        'Check the `headers` of the server: it requires a valid key.',
      ],
      MCP_LOGIN_REQUIRED: [
        'the MCP server requires a login that there is not',
        'Run `assay mcp login` with this server, or set its `oauth` to credentials in the environment.',
      ],
      MCP_INPUT_REFUSED: [
        'the MCP server needed input for an answer, and the test did not give it',
        'Give the server what it asks for; a refusal cannot be reported to a server since 2026-07-28.',
      ],
      MOCK_UNUSABLE: [
        'a mock contradicts the tool that it stands for, or cannot answer a call',
        'Correct the mock at the place that the message names.',
      ],
      TOOL_REPLAY_MISS: [
        'the recording of tool calls has no answer to a call, or is of another version of the tool',
        'Record again with --record-tools, or choose `replay.miss` in the scenario.',
      ],
      FAULT_UNUSABLE: [
        'a fault is for a tool that the server does not have',
        'Correct the fault at the place that the message names.',
      ],
      FAULT_ENDED_TRIAL: [
        'a fault of the scenario left nothing that could be judged',
        'Let fewer calls fail, with `call`, `firstCalls`, `untilRetry` or `probability`, or delay them less.',
      ],
      ATTACK_UNUSABLE: [
        'an attack cannot be planted: its tool or file is there already, or is missing',
        'Correct the attack at the place that the message names.',
      ],
    },
  },
  engine: {
    3: {
      MCP_VERSION_UNSUPPORTED: [
        'the MCP server requires a version of the protocol that is not supported by this Assay',
        'Update Assay; the server may be correct.',
      ],
      MCP_UNSUPPORTED: [
        'the MCP server uses a feature that this version of Assay does not support',
        'Update Assay, or remove the test; the server may be correct.',
      ],
    },
  },
} as const satisfies ErrorRows;
