import type { HandCall } from '../../../../../src/entry/server/api/workbench.ts';
import { isRecord } from '../../../../../src/shared/json.ts';
import { CodeBlock } from '../../../kit/code.tsx';
import { Disclosure } from '../../../kit/disclosure.tsx';
import { jsonText } from './json-text.ts';

/** The answer to a call: what is meant for people first, then all of it. */
export function AnswerView({ call: { result, error } }: { call: HandCall }) {
  if (error !== null) {
    return (
      <div className="flex flex-col gap-2">
        <p className="text-fail">
          {typeof error.code === 'number' && `Error ${error.code}: `}
          {error.message}
        </p>
        {error.data !== null && <CodeBlock text={jsonText(error.data)} label="Data of the error" />}
      </div>
    );
  }
  if (!isRecord(result)) return null;
  return (
    <div className="flex flex-col gap-2">
      {partsOf(result).map((part, index) => (
        <PartView key={`${index + 1}`} part={part} />
      ))}
      {result.structuredContent !== undefined && (
        <div>
          <p className="mb-1 text-xs text-muted">Structured content</p>
          <CodeBlock text={jsonText(result.structuredContent)} label="Structured content" />
        </div>
      )}
      <Disclosure summary={<span className="text-xs text-muted">Whole result</span>}>
        <CodeBlock text={jsonText(result)} label="Whole result" />
      </Disclosure>
    </div>
  );
}

/** Blocks of a tool, contents of a resource, messages of a prompt. */
function partsOf({ content, contents, messages }: Readonly<Record<string, unknown>>): unknown[] {
  return [content, contents, messages].flatMap((list) => (Array.isArray(list) ? list : []));
}

const imageType = /^image\/(?:png|jpeg|gif|webp)$/;

function PartView({ part }: { part: unknown }) {
  if (!isRecord(part)) return null;
  if (isRecord(part.content)) {
    return (
      <div>
        <p className="mb-1 text-xs text-muted">{String(part.role)}</p>
        <PartView part={part.content} />
      </div>
    );
  }
  if (isRecord(part.resource)) return <PartView part={part.resource} />;
  const { text, uri, mimeType, data } = part;
  const about = [uri, mimeType].filter((each) => typeof each === 'string').join(' · ');
  return (
    <div className="min-w-0">
      {about !== '' && <p className="mb-1 text-xs break-all text-muted">{about}</p>}
      {typeof text === 'string' && <CodeBlock text={text} label="Text of the answer" />}
      {part.type === 'image' && typeof data === 'string' && imageType.test(String(mimeType)) && (
        <img
          src={`data:${String(mimeType)};base64,${data}`}
          alt="Answer of the tool"
          className="max-h-80 rounded border border-line"
        />
      )}
      {typeof text !== 'string' && part.type !== 'image' && (
        <CodeBlock text={jsonText(part)} label="Part of the answer" />
      )}
    </div>
  );
}
