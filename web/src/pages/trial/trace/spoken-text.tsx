import { useMemo, useState } from 'react';
import { grouped } from '../../../../../src/shared/format.ts';
import { Button } from '../../../kit/button.tsx';
import { classes } from '../../../kit/classes.ts';
import { findMarks, type Wanted } from './find-marks.ts';
import { LongText } from './long-text.tsx';
import { MarkedText } from './marked-text.tsx';

/** So much of a message is read at once. */
const readAtOnce = 1_500;

/** What somebody said: short as it is, long behind a button and then in a box. */
export function SpokenText({ text, role, wanted }: { text: string; role: string; wanted: Wanted | undefined }) {
  const [isWhole, setIsWhole] = useState(false);
  const marks = useMemo(() => (wanted ? findMarks(text, wanted) : []), [text, wanted]);
  const isHidden = marks.some(({ end }) => end > readAtOnce);
  if (text.length > readAtOnce && (isWhole || (isHidden && wanted?.isQuote)))
    return <LongText text={text} label="message" wanted={wanted} />;
  return (
    <div
      className={classes(
        'mb-1 w-fit max-w-full min-w-0 rounded-md px-3 py-1.5',
        role === 'user' ? 'bg-accent-ground/60' : 'bg-raised/60',
      )}
    >
      <p className="whitespace-pre-wrap">
        <MarkedText text={text.slice(0, readAtOnce)} marks={marks} />
        {text.length > readAtOnce && '…'}
      </p>
      {text.length > readAtOnce && (
        <Button size="sm" className="mt-1" onClick={() => setIsWhole(true)}>
          Show all {grouped(text.length)} characters
        </Button>
      )}
    </div>
  );
}
