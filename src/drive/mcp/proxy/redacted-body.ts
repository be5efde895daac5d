import { Transform } from 'node:stream';
import { StringDecoder } from 'node:string_decoder';
import type { Redact } from '../../../shared/redaction/redaction.ts';

/** Takes secrets out of a body line by line: a message of the protocol is in one line, also in a stream of events. */
export function withoutSecrets(redact: Redact): Transform {
  const decoder = new StringDecoder('utf8');
  let rest = '';
  return new Transform({
    transform(chunk: Buffer, _encoding, done) {
      const text = decoder.write(chunk);
      const end = text.lastIndexOf('\n') + 1;
      if (end === 0) {
        rest += text;
        return done();
      }
      const lines = rest + text.slice(0, end);
      rest = text.slice(end);
      done(null, redact(lines));
    },
    flush(done) {
      done(null, redact(rest + decoder.end()));
    },
  });
}
