/** Every such message; `official-clients.test.ts` finds no others among generated answers. */
export const clientDifferences = [
  {
    message: 'a result of a tool without `content` and `structuredContent`, until 2025-11-25',
    officialClient: 'reads it as an empty result',
    assay: 'keeps it, and notes that the content was not observed',
    why: 'The specification requires `content`; an expectation that nothing is there must not rest on its absence.',
  },
  {
    message: 'a task in place of the result of a tool, until 2025-11-25 and as the extension of 2026-07-28',
    officialClient: 'refuses it',
    assay: 'follows the task, and checks its result like that of a call',
    why: 'The specification has tasks; the client of the SDK has no code for them.',
  },
  {
    message: 'an error of JSON-RPC with an HTTP status of failure',
    officialClient: 'reads it with status 400 from 2026-07-28 on, and reports the status otherwise',
    assay: 'reads it as the error that it is; a result with such a status is refused',
    why: 'Both end as an error of the request, and the text of the server says more than the status.',
  },
  {
    message: 'an error without an id in the answer to a request over HTTP, from 2026-07-28 on',
    officialClient: 'refuses it',
    assay: 'reads it as the error of that request',
    why: 'A server that cannot read a request does not know its id, and both end as an error.',
  },
  {
    message: 'a list of messages as one event of a stream',
    officialClient: 'refuses it, and takes the same list as a JSON body',
    assay: 'takes both, and refuses it over stdio',
    why: 'The place of the list does not change what the server sent.',
  },
];
