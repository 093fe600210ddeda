CREATE TABLE "letters" (
	"id" text NOT NULL,
	"entity_id" uuid NOT NULL,
	"readers" bigint NOT NULL,
	CONSTRAINT "letters_entity_id_id_pk" PRIMARY KEY("entity_id","id")
);
