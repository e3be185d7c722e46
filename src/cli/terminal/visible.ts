/**
 * Text of somebody else, on one line: nothing in it may move the cursor, change colours or turn the line around. What
 * could is written as JSON writes it, so that JSON stays the same JSON.
 */
export function visible(text: string): string {
  return text.replace(unsafe, escape);
}

/** The same for text of several lines. */
export function visibleLines(text: string): string {
  return text.split('\n').map(visible).join('\n');
}

/** C0, DEL and C1, the other ends of a line, and what changes the direction of text. */
const unsafe = /[\p{Cc}\u2028\u2029\u200e\u200f\u202a-\u202e\u2066-\u2069]/gu;

function escape(character: string): string {
  return `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`;
}
