import type { ErrorKind } from './error-kind.ts';

/** The MCP server under test. */
export const mcpErrors = {
  MCP_SERVER_NOT_STARTED: {
    meaning: 'the MCP server could not be started',
    blame: 'target',
    exitCode: 3,
    hint: 'Start the server by hand with the same command; where it printed something, the message has it.',
  },
  MCP_SERVER_UNREACHABLE: {
    meaning: 'the MCP server could not be reached at its URL',
    blame: 'target',
    exitCode: 3,
    hint: 'Check that the server is running, that the URL is correct and that it supports this transport.',
  },
  MCP_SERVER_REFUSED: {
    meaning: 'the MCP server refused the connection or the key',
    blame: 'user',
    exitCode: 3,
    hint: 'Check the `headers` of the server: it requires a valid key.',
  },
  MCP_LOGIN_REQUIRED: {
    meaning: 'the MCP server requires a login that there is not',
    blame: 'user',
    exitCode: 3,
    hint: 'Run `assay mcp-login` with this server, or set its `oauth` to credentials in the environment.',
  },
  MCP_AUTHORIZATION_FAILED: {
    meaning: 'the authorization server of the MCP server cannot be used as the standards say',
    blame: 'target',
    exitCode: 3,
    hint: 'Fix the metadata or the answers that the message names; nothing was sent with a token.',
  },
  MCP_SERVER_DIED: {
    meaning: 'the MCP server ended while it was needed',
    blame: 'target',
    exitCode: 3,
    hint: 'Read the last lines of its stderr in the message to see why the server ended.',
  },
  MCP_SERVER_TIMEOUT: {
    meaning: 'the MCP server did not answer within the time limit',
    blame: 'target',
    exitCode: 3,
    hint: 'Raise `timeout`, or find out why the server does not answer.',
  },
  MCP_PROTOCOL_VIOLATED: {
    meaning: 'the MCP server sent a message that the protocol does not allow',
    blame: 'target',
    exitCode: 3,
    hint: 'Fix the server; run `assay mcp-check` to find other violations.',
  },
  MCP_TOOLS_CHANGED: {
    meaning: 'the tools of the MCP server changed during the run',
    blame: 'target',
    exitCode: 3,
    hint: 'Keep the tools of the server unchanged during a run, or start another run: results before and after a change cannot be compared.',
  },
  MCP_FEATURE_ABSENT: {
    meaning: 'the MCP server does not offer the feature that the test needs',
    blame: 'target',
    exitCode: 3,
    hint: 'Remove the test, or add the feature to the server.',
  },
  MCP_INPUT_REFUSED: {
    meaning: 'the MCP server needed input for an answer, and the test did not give it',
    blame: 'user',
    exitCode: 3,
    hint: 'Give the server what it asks for; a refusal cannot be reported to a server since 2026-07-28.',
  },
  MCP_VERSION_UNSUPPORTED: {
    meaning: 'the MCP server requires a version of the protocol that is not supported by this Assay',
    blame: 'engine',
    exitCode: 3,
    hint: 'Update Assay; the server may be correct.',
  },
  MCP_UNSUPPORTED: {
    meaning: 'the MCP server uses a feature that this version of Assay does not support',
    blame: 'engine',
    exitCode: 3,
    hint: 'Update Assay, or remove the test; the server may be correct.',
  },
  MOCK_UNUSABLE: {
    meaning: 'a mock contradicts the tool that it stands for, or cannot answer a call',
    blame: 'user',
    exitCode: 3,
    hint: 'Correct the mock at the place that the message names.',
  },
  TOOL_REPLAY_MISS: {
    meaning: 'the recording of tool calls has no answer to a call, or is of another version of the tool',
    blame: 'user',
    exitCode: 3,
    hint: 'Record again with --record-tools, or choose `replay.miss` in the scenario.',
  },
  FAULT_UNUSABLE: {
    meaning: 'a fault is for a tool that the server does not have',
    blame: 'user',
    exitCode: 3,
    hint: 'Correct the fault at the place that the message names.',
  },
  FAULT_ENDED_TRIAL: {
    meaning: 'a fault of the scenario left nothing that could be judged',
    blame: 'user',
    exitCode: 3,
    hint: 'Let fewer calls fail, with `call`, `firstCalls`, `untilRetry` or `probability`, or delay them less.',
  },
  ATTACK_UNUSABLE: {
    meaning: 'an attack cannot be planted: its tool or file is there already, or is missing',
    blame: 'user',
    exitCode: 3,
    hint: 'Correct the attack at the place that the message names.',
  },
} as const satisfies Record<string, ErrorKind>;
