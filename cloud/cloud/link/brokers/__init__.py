"""Three brokers: in this process (amqtt), mosquitto, EMQX. edge_contract.access decides who may do what."""
