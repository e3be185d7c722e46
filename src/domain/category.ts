/** A name for a number that pets may carry. It owns nothing: a pet may carry a number without a name. */
export interface Category {
  id: bigint;
  name: string;
}

/** The category as JSON. Every store must produce the same bytes. */
export function renderCategory({ id, name }: Category): string {
  return `{"id":${id},"name":${JSON.stringify(name)}}`;
}
